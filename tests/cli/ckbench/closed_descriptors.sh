# With 0 to 2 closed, a file that is opened must not get their numbers.
"$CKBENCH" list --subject "$SUBJECTS/foreign/foreign" <&- >&- 2>&-
