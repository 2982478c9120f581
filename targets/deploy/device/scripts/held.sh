
# What a device holds of run T, a section each, for a machine that did not start the run. It looks, and changes nothing.
alone() { # FOLDER FILE...: whether root alone may have changed them; else it prints a section that names the folder
	if [ ! -e "$1" ] || trusted "$@"; then return 0; fi
	printf '%s foreign\n%s\n%s end 0\n' "$B" "$1" "$B"
	return 1
}

held() { # T
	x=$S/txn-$1
	b=$S/backup/$1
	alone "$x" "$x"/* || return 0
	alone "$b" "$b/files" "$b/lives" "$b/about" "$b/ended" || return 0
	for f in "$x" "$b" "$x/key" "$x/files" "$x/lives" "$x/about" "$x/note" "$b/files" "$b/lives" "$b/about" "$b/ended"; do file "$f"; done
	file "$x/digest" "$b/digest"
	printf '%s query\n' "$B"
	for step in "$x"/step.*; do
		time='' keep=''
		if plain "$step/time"; then read -r time <"$step/time"; fi
		if [ -s "$step/keep" ]; then keep=keep; fi
		printf '%s %s %s\n' "${step##*.}" "$time" "$keep"
	done 2>/dev/null | head -c 65536
	printf '\n%s end 0\n' "$B"
}
