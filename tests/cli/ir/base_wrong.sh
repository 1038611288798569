# A base that cannot be one: head itself by any name, a file, a place without a subject, one whose
# manifest is of another schema, cut or empty, one whose subject is a script.
cp -r "$SUBJECTS/plant-0" head
ln -s head link
mkdir empty unbuilt
cp head/ckbench.json unbuilt/
for damage in other cut empty_manifest; do cp -r head $damage; done
sed -i 's:manifest/1:manifest/2:' other/ckbench.json
truncate -s 60 cut/ckbench.json
truncate -s 0 empty_manifest/ckbench.json
cp -r "$SUBJECTS/script" script
cd head || exit
for base in . ../head ../head/ ../link ../link/../head ../empty ../unbuilt ../head/ckbench.json ../missing ../other ../cut \
    ../empty_manifest ../script; do
    "$CKBENCH" ir --base "$base" --path plant_ir 2>&1 | sed "s:${PWD%/head}:WORK:g"
    echo "$base ${PIPESTATUS[0]}"
done
