# needs: valgrind
# A path that reads the clock, entropy or its process id says who does, and how often.
cp -r "$SUBJECTS/reader_of_clock" head
cp -r "$SUBJECTS/reader_of_clock" base
cd head || exit
"$CKBENCH" ir --base ../base --path reads --path reads_in_program --path reads_nothing --layouts 1 |
    grep -E '(class|reads [a-z]+ )'
