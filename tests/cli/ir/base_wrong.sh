# A base that cannot be one: head itself by any name, a file, a place without a subject.
cp -r "$SUBJECTS/plant-0" head
ln -s head link
mkdir empty unbuilt
cp head/ckbench.json unbuilt/
cd head || exit
for base in . ../head ../head/ ../link ../link/../head ../empty ../unbuilt ../head/ckbench.json ../missing; do
    "$CKBENCH" ir --base "$base" --path plant_ir 2>&1 | sed "s:${PWD%/head}:WORK:g"
    echo "$base ${PIPESTATUS[0]}"
done
