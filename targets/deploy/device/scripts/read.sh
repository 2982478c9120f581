# What a read is made of: looks at files and the queries a device declares, as root where that needs no password. Every
# answer stands between two lines that begin with the random word B, so that bytes of any kind come through one stdout.
LC_ALL=C
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
export LC_ALL PATH
S=/var/lib/rocec
G=/usr/libexec/rocec-txn

# gate has the command of the gate, where a login that is not root reads through it. It knows queries by name, and files by a list.
me=$(id -u)
gate=
if [ "$me" != 0 ] && [ -x "$G" ] && [ -e /etc/rocec/allowed_signers ] && sudo -n "$G" hello >/dev/null 2>&1; then gate="sudo -n $G"; fi

# plain FILE...: whether each is a regular file that this login may read. A pipe in its place stalls the read, and a link leads elsewhere.
plain() {
	for one; do
		if [ -h "$one" ] || ! [ -f "$one" ] || ! [ -r "$one" ]; then return 1; fi
	done
}

# file PATH...: the first that is there, or may be; else the first.
file() {
	n=0
	p=
	at=0
	for f; do
		d=${f%/*}
		if [ -z "$p" ] && { [ -h "$f" ] || [ -e "$f" ] || { [ -d "${d:-/}" ] && ! [ -x "${d:-/}" ]; }; }; then
			p=$f
			at=$n
		fi
		n=$((n + 1))
	done
	p=${p:-$1}
	d=${p%/*}
	as=
	if [ -h "$p" ]; then
		is='link'
	elif [ -f "$p" ]; then
		is='file'
	elif [ -e "$p" ]; then
		is='special'
	elif [ -d "${d:-/}" ] && ! [ -x "${d:-/}" ]; then
		is='hidden'
	else
		is='absent'
	fi
	if [ "$is" = file ] && ! [ -r "$p" ]; then as=${gate:-sudo -n}; fi # a line of sudoers may allow reading alone
	rights=
	if [ "$is" = file ]; then rights=$(stat -c %u:%g:%a "$p" 2>/dev/null); fi
	printf '%s %s %s %s\n' "$B" "$is" "$at" "$rights"
	status=0
	if [ "$is" != file ]; then
		:
	elif [ -z "$as" ]; then
		head -c 1048577 <"$p" || status=1
	elif $as cat "$p" >/dev/null 2>&1; then
		$as cat "$p" | head -c 1048577
	else
		status=1
	fi
	printf '\n%s end %s\n' "$B" "$status"
}

# live NAME CMD STDIN: a query with a name, which the gate runs as root.
live() {
	if [ -n "$gate" ]; then
		$gate query "$B" "$1"
	else
		query "$2" "$3"
	fi
}

query() {
	printf '%s query\n' "$B"
	printf %s "$2" | timeout 30 sh -c "$1" 2>/dev/null
	status=$?
	printf '\n%s end %s\n' "$B" "$status"
}

# rights prints "rights UID:GID:MODE PATH" for files and folders that are not root's, or that their group or others may write to.
rights() { # OPTIONS PATH... of stat
	stat "$@" 2>/dev/null | while read -r rights path; do
		case $rights in
		0:0:*[2367] | 0:0:*[2367]?) printf 'rights %s %s\n' "$rights" "$path" ;;
		0:0:*) ;;
		*) printf 'rights %s %s\n' "$rights" "$path" ;;
		esac
	done
}

# What rocec itself has on the device: who holds the lock, runs and how far they came, files that may not be in use; and what the login may do.
state() { # FOLDER...: the folders in which its files are
	printf '%s state\n' "$B"
	{
		if [ "$me" = 0 ] || { [ -n "$gate" ] && sudo -n true; }; then echo root; fi
		if [ -n "$gate" ]; then
			$gate hello
		elif [ "$me" = 0 ] && [ -x "$G" ] && [ -e /etc/rocec/allowed_signers ]; then
			"$G" hello
		fi
		if [ -z "$gate" ] || ! $gate state / "$@"; then known "$@"; fi
	} 2>/dev/null | head -c 65536
	printf '\n%s end 0\n' "$B"
}

# known prints the lines of state.
known() { # FOLDER...
	{
		boot='' up=''
		read -r boot </proc/sys/kernel/random/boot_id
		read -r up rest </proc/uptime
		printf 'boot %s\nup %s\n' "$boot" "$up"
		if [ -d "$S" ] && ! [ -x "$S" ]; then echo unseen; fi
		if [ -d "$S/lock" ]; then echo locked; fi
		if plain "$S/lock/owner"; then
			while read -r line; do printf 'lock %s\n' "$line"; done <"$S/lock/owner"
		fi
		for x in "$S"/txn-*; do
			if [ -h "$x" ] || ! [ -d "$x" ]; then continue; fi
			mark=absent
			for m in prepared armed loaded confirmed undoing undone conflict failed; do
				if [ -e "$x/state.$m" ]; then mark=$m; fi
			done
			printf 'run %s %s\n' "${x#"$S/txn-"}" "$mark"
			if plain "$x/boot" "$x/deadline"; then
				read -r due <"$x/deadline"
				read -r boot <"$x/boot"
				printf 'due %s %s %s\n' "${x#"$S/txn-"}" "$boot" "$due"
			fi
		done
		for x in "$S"/backup/*/ended; do
			if ! plain "$x"; then continue; fi
			note=
			{
				read -r mark by
				read -r note
			} <"$x"
			x=${x%/ended}
			printf 'ended %s %s %s\n' "${x##*/}" "$mark" "$by"
			if [ "$mark" = confirmed ] && [ -n "$note" ]; then printf 'note %s %s\n' "${x##*/}" "$note"; fi
			if [ "$mark" != confirmed ] || ! plain "$x/about"; then continue; fi
			undoes='' owner=''
			while read -r key value; do
				case $key in
				undoes) undoes=$value ;;
				owner) owner=$value ;;
				esac
			done <"$x/about"
			if [ -n "$undoes" ]; then printf 'back %s %s %s\n' "${x##*/}" "$undoes" "$owner"; fi
		done
		if plain "$S/counter"; then
			read -r count <"$S/counter"
			printf 'count %s\n' "$count"
		elif ! [ -e "$S/counter" ] && { ! [ -d "$S" ] || [ -x "$S" ]; }; then
			echo 'count 0'
		fi
		if plain /run/rocec/mark; then
			while read -r line; do printf 'marked %s\n' "$line"; done </run/rocec/mark
		fi
		if plain "$S/pending"; then
			while read -r line; do printf 'pending %s\n' "$line"; done <"$S/pending"
		fi
		if [ $# -gt 0 ]; then rights -L -c '%u:%g:%a %n' "$@"; fi
		rights -c '%u:%g:%a %n' "$S" "$S"/* "$S"/*/*
	} 2>/dev/null
}

# given RUN SUM: whether the device was given that of a run, in a word: same, other, none, or hidden where that takes root. It fails
# where it is not the same.
given() {
	if [ -n "$gate" ]; then
		$gate given "$B" "$1" "$2"
		return
	fi
	printf '%s query\n' "$B"
	is='none' has=
	for f in "$S/txn-$1/digest" "$S/backup/$1/digest"; do
		d=${f%/*}
		if [ "$is" != none ]; then
			:
		elif [ -d "$d" ] && { ! [ -x "$d" ] || { [ -f "$f" ] && ! [ -r "$f" ]; }; }; then
			is='hidden'
		elif plain "$f"; then
			read -r has <"$f"
			if [ -n "$has" ]; then is='other'; fi
		fi
	done
	for d in "$S" "$S/backup"; do
		if [ "$is" = none ] && [ -d "$d" ] && ! [ -x "$d" ]; then is='hidden'; fi
	done
	if [ "$is" = none ] && [ -f "$S/digests" ] && ! [ -r "$S/digests" ]; then is='hidden'; fi
	if [ "$is" = none ] && plain "$S/digests"; then
		while read -r run sum; do
			if [ "$run" = "$1" ]; then has=$sum is='other'; fi
		done <"$S/digests"
	fi
	if [ "$has" = "$2" ] && [ "$is" != hidden ]; then is='same'; fi
	printf '%s\n%s end 0\n' "$is" "$B"
	[ "$is" = same ]
}
