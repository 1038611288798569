// SPDX-License-Identifier: MIT
// What a page may style and run: constants, so that their hashes are all that the page allows.
#include "render/html.h"

const char *html_style(void)
{
    return "body{font:14px/1.4 system-ui,sans-serif;max-width:60em;margin:1em auto;padding:0 "
           "1em;color:#222}"
           "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
           "th,td{padding:.2em .7em;border-bottom:1px solid "
           "#ddd;text-align:right;white-space:nowrap}"
           "th:first-child,td:first-child,td:nth-child(4){text-align:left}"
           "figure{margin:.6em 0}figcaption{font-size:12px;color:#555}"
           "svg{width:100%;height:auto;display:block;background:#fff;font:11px sans-serif}"
           "line{stroke:#888}dt{font-weight:600}dd{margin:0 0 .3em}"
           ".bad{color:#a00;font-weight:600}output{display:block;min-height:1.5em}"
           ".off{display:none}";
}

const char *html_script(void)
{
    return "'use strict';(async()=>{"
           "const d=document,data=d.getElementById('cells'),out=d.getElementById('readout'),"
           "bar=d.getElementById('bar'),m=JSON.parse(data.dataset.view);"
           "const raw=Uint8Array.from(atob(data.textContent.trim()),c=>c.charCodeAt(0));"
           "const text=await new Response(new Blob([raw]).stream().pipeThrough(new "
           "DecompressionStream('deflate'))).text();"
           "const cells=new Map(JSON.parse(text).map(([r,t,c])=>[r+'/'+t,c.map(f=>{const "
           "o=[];let at=0;for(let i=0;i<f.length;i+=2){at+=f[i];o.push([at,f[i+1]])}return o})]));"
           "const first=c=>c<64?c:2**(Math.floor(c/32)+4)*(1+c%32/32);"
           "const unit=n=>n<1e3?n.toFixed(0)+' ns':n<1e6?(n/1e3).toPrecision(3)+' "
           "us':n<1e9?(n/1e6).toPrecision(3)+' ms':(n/1e9).toPrecision(3)+' s';"
           "bar.classList.remove('off');"
           "for(const b of bar.querySelectorAll('input'))b.addEventListener('change',()=>{"
           "for(const f of d.querySelectorAll('figure.'+b.value))f.classList.toggle('off',!b."
           "checked)});"
           "for(const f of d.querySelectorAll('figure[data-row]')){"
           "const g=f.querySelector('image'),c=cells.get(f.dataset.row+'/'+f.dataset.time);"
           "g.addEventListener('mousemove',e=>{const "
           "b=g.getBoundingClientRect();"
           "const "
           "x=Math.min(m.columns-1,Math.max(0,Math.floor((e.clientX-b.left)/b.width*m.columns)"
           "));"
           "const y=1-(e.clientY-b.top)/b.height;"
           "const "
           "row=Math.floor(y*(m.octave_end-m.octave_first)*8),o=m.octave_first+Math.floor(row/"
           "8);"
           "const lo=2**o*(1+row%8/8),hi=2**o*(1+(row%8+1)/8);"
           "let all=0,n=0,below=0;for(const[k,v]of c[x]){all+=v;const "
           "a=first(k);if(a<hi){below+=v;if(a>=lo)n+=v}}"
           "out.textContent=f.querySelector('figcaption').textContent+', "
           "'+(x*m.column_s).toFixed(1)+' s, '+unit(lo)+' to '+unit(hi)+': '+n+' of '+all+' "
           "calls'+(all?', '+(100*below/all).toFixed(1)+' % at or below':'')})}"
           "d.documentElement.dataset.ready='1'})();";
}
