"$CKBENCH" list --subject "$SUBJECTS/foreign/foreign"
