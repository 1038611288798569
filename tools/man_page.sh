#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes a program's manual page from what its help says, verb by verb, so that the two cannot differ.
# Usage: man_page.sh PROGRAM PAGE
set -eu
program=$1 page=$2
name=$(basename "$program")

# All help texts, each after a line "@ WORDS" that says whose it is. `(also: A B)` names one more.
texts() {
    echo "@"
    "$program" help
    "$program" help | sed -n '/^verbs:/,/^$/s/^  \([a-z]*\)  .*/\1/p' | while read -r verb; do
        echo "@ $verb"
        "$program" help "$verb"
        also=$("$program" help "$verb" | sed -n 's/.*(also: \([a-z ]*\)).*/\1/p')
        [ -z "$also" ] || {
            echo "@ $also"
            # shellcheck disable=SC2086 # a verb and its second word
            "$program" $also --help
        }
    done
}

texts >"$page.tmp"
# shellcheck disable=SC2016 # the words with $ are awk's
awk -v name="$name" -v version="$("$program" --version)" '
    function quote(text) {
        gsub(/\\/, "\\e", text)
        gsub(/-/, "\\-", text)
        gsub(/\047/, "\\(aq", text)
        gsub(/`/, "\\(ga", text)
        gsub(/\^/, "\\(ha", text)
        gsub(/~/, "\\(ti", text)
        sub(/^[.]/, "\\\\\\&.", text)
        return text
    }
    function close_block() {
        if (in_block)
            print ".EE"
        in_block = 0
    }
    function head(text, macro) {
        close_block()
        print macro " \"" quote(text) "\""
    }
    NR == 1 {
        print ".\\\" Made by tools/man_page.sh from the help texts."
        print ".TH " toupper(name) " 1 \"\" \"" quote(version) "\" \"User Commands\""
    }
    /^@/ {
        verb = substr($0, 3)
        if (verb != "" && ++verbs == 1)
            head("VERBS IN FULL", ".SH")
        next
    }
    /^usage: / {
        usage = substr($0, 8)
        paragraph = 0
        next
    }
    /^$/ { close_block(); section = ""; paragraph++; next }
    usage != "" {                     # the first words after the usage line say what it is
        if (verb == "") {
            about = tolower(substr($0, 1, 1)) substr($0, 2)
            sub(/[.]$/, "", about)
            head("NAME", ".SH")
            print quote(name) " \\- " quote(about)
            head("SYNOPSIS", ".SH")
            print ".B " quote(usage)
            head("DESCRIPTION", ".SH")
        } else
            head(usage, ".SS")
        print quote($0)
        usage = ""
        paragraph = 1
        next
    }
    /^[A-Za-z].*:$/ && section == "" {
        section = $0
        sub(/:$/, "", section)
        if (verb == "")
            head(section ~ /^[a-z ]*$/ ? toupper(section) : section, ".SH")
        else if (section != "options") {
            print ".PP"
            print quote(toupper(substr(section, 1, 1)) substr(section, 2)) ":"
        }
        paragraph = 1
        in_block = section != "options" && section != "exit status"
        if (in_block)
            print ".EX"
        next
    }
    section == "options" && /^(  -.,|     ) --/ {
        match($0, /--[^ ]*( [^ ]+)*/)  # up to two spaces or the end of the line
        option = substr($0, 1, RSTART + RLENGTH - 1)
        text = substr($0, RSTART + RLENGTH)
        sub(/^ */, "", option)
        sub(/^ */, "", text)
        print ".TP"
        print ".B " quote(option)
        if (text != "")
            print quote(text)
        next
    }
    in_block { print quote(substr($0, 1, 2) == "  " ? substr($0, 3) : $0); next }
    {
        if (paragraph > 1) {
            print ".PP"
            paragraph = 1
        }
        text = $0
        sub(/^ */, "", text)
        print quote(text)
    }
    END { close_block() }
' "$page.tmp" >"$page.new"
rm "$page.tmp"
mv "$page.new" "$page"
