# The same by SIGINT. (A shell's background jobs ignore it, hence timeout.)
printf '#!/bin/sh\nsleep 600\n' >slow
chmod +x slow
timeout --preserve-status -s INT 1 "$CKBENCH" list --subject ./slow
