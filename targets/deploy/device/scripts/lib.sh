set -u
umask 077
LC_ALL=C
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
export LC_ALL PATH
S=/var/lib/rocec
X=$S/txn-$T

fail() { # WORD REASON
	printf 'rocec-fail %s\n%s\n' "$1" "$2" >&2
	exit 1
}

cause() { # TEXT: names the errno in what a tool said
	case $1 in
	*'Read-only file system'*) echo read-only ;;
	*'No space left'* | *'quota exceeded'*) echo no-space ;;
	*'Permission denied'* | *'Operation not permitted'*) echo permission ;;
	*) echo failed ;;
	esac
}

must() { # WHAT COMMAND...: runs a command that has to work
	what=$1
	shift
	err=$("$@" 2>&1) || fail "$(cause "$err")" "cannot $what: $err"
}

# flush is fsync of files and folders. sync of coreutils before 8.24 (Cumulus Linux 3.x has 8.23) takes no names and
# flushes every file system, which can take half a minute; Python is on every such system.
flush() {
	flusher
	case $ROCEC_FLUSH in
	files) sync "$@" ;;
	all) sync ;;
	*)
		"$ROCEC_FLUSH" -c 'import os, sys
for name in sys.argv[1:]:
    fd = os.open(name, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)' "$@"
		;;
	esac
}

flusher() { # sets ROCEC_FLUSH to how flush works here, for the scripts that this one starts, too
	if [ -n "${ROCEC_FLUSH:-}" ]; then return; fi
	if [ -f "$X/flush" ]; then read -r ROCEC_FLUSH <"$X/flush"; fi
	export ROCEC_FLUSH
	case ${ROCEC_FLUSH:-} in files | all | python3 | python) return ;; esac
	ROCEC_FLUSH=all
	case $(sync --help 2>/dev/null) in
	*--file-system*) ROCEC_FLUSH=files ;;
	*)
		for py in python3 python; do
			if command -v "$py" >/dev/null; then ROCEC_FLUSH=$py && break; fi
		done
		;;
	esac
}

# shut takes the rights of others away from a file or folder of root, before a look at what is in it. It refuses what others own.
shut() { # PATH; it may go between the looks: a run of ours, at the same machine under another name, begins or ends
	if [ ! -e "$1" ] || trusted "$1" || [ ! -e "$1" ]; then return 0; fi
	[ "$(stat -c %u "$1" 2>/dev/null)" = 0 ] || [ ! -e "$1" ] || fail foreign "$1 does not belong to root: remove it on the device"
	err=$(chmod go-w "$1" 2>&1) || [ ! -e "$1" ] || fail "$(cause "$err")" "cannot protect $1: $err"
}

# alone refuses a run's folder that others than root may have filled. Nothing in it is executed, and nothing in it is believed.
alone() { # FOLDER
	shut "$S"
	if [ ! -e "$1" ] && [ ! -h "$1" ]; then return 0; fi
	trusted "$1" "$1"/* "$1"/*/* || [ ! -e "$1" ] ||
		fail foreign "others than root may have changed $1 or a file in it, so rocec runs nothing from there: remove it on the device"
}

# tight sets mode to MODE without the rights of its group and of others to write, and without setuid, setgid and the sticky bit.
tight() { # MODE
	set -- "${1%?}" "${1#"${1%?}"}"
	set -- "${1%?}" "${1#"${1%?}"}" "$2"
	set -- "${1#"${1%?}"}" "${2:-0}" "$3"
	mode=${1:-0}
	for digit in "$2" "$3"; do
		case $digit in [2367]) digit=$((digit - 2)) ;; esac
		mode=$mode$digit
	done
}

owner() { # sets held to the run that holds the lock and its key; empty: nobody, "?": a beginner who died before writing a name
	held=
	if [ -f "$S/lock/owner" ] && [ ! -h "$S/lock/owner" ]; then
		while read -r what value; do
			case $what in
			txn) held=$value ;;
			key) held="$held $value" ;;
			esac
		done <"$S/lock/owner"
	fi
	if [ -z "$held" ] && { [ -e "$S/lock" ] || [ -h "$S/lock" ]; }; then held='?'; fi
}

tell() { # KEY FILE: its lines, for a state
	if [ ! -f "$2" ]; then return; fi
	head -c 600 "$2" | while read -r line || [ -n "$line" ]; do printf '%s %s\n' "$1" "$line"; done
}

# kept prints "backup yes" where the device holds the whole content from before the run.
kept() {
	if [ ! -f "$S/backup/$T/files" ]; then return 0; fi
	some=
	while read -r i was now rest; do
		if [ "$was" = absent ] || [ "$was" = "$now" ]; then continue; fi
		if [ ! -f "$S/backup/$T/$i" ]; then return 0; fi
		some=yes
	done <"$S/backup/$T/files"
	if [ -n "$some" ]; then echo 'backup yes'; fi
}

refused() { # FOLDER: prints why the vendor's checker refused content that was put back, "refuses N LINE"
	for text in "$1"/refuses.*; do
		case ${text##*.} in *[!0-9]*) continue ;; esac
		tell "refuses ${text##*.}" "$text"
	done
}

# say writes a line into the log of the device, which rocec never reads. A device without a log stops nothing.
say() { # TEXT
	if command -v logger >/dev/null; then logger -t rocec -p user.notice -- "$1" 2>/dev/null || :; fi
}

# credit notes who does a verb to a run, before it is done, beside the run's backup. HEAD is how far the journal of WHO had come: the hash of
# its last line. A full disk stops nothing.
credit() { # RUN VERB WHO HEAD
	say "run $1: $2 by $3, head $4"
	if [ -z "$3" ] || [ ! -d "$S/backup/$1" ] || [ -h "$S/backup/$1" ] || [ -h "$S/backup/$1/who.$2" ]; then return; fi
	{ printf '%s %s\nhead %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$3" "$4" >"$S/backup/$1/who.$2" && flush "$S/backup/$1/who.$2"; } 2>/dev/null || :
}

drop() { # takes the lock away, unless it is another run's by now
	owner
	if [ "$held" = "$T $K" ]; then rm -rf "$S/lock"; fi
}

mine() { # whether the folder of this run's name is this run's: two devices of a fabric may lead to one machine
	key=$K
	if [ -f "$X/key" ]; then read -r key <"$X/key"; fi
	[ "$key" = "$K" ]
}

# Numbers of processes are used again. When a process began, field 22 of /proc/PID/stat, tells it from a later one.
started() { # PID: sets start to when it began, in ticks since boot; empty where the kernel does not say
	start=
	{ read -r start <"/proc/$1/stat"; } 2>/dev/null
	start=${start##*) } # the name before that may hold anything
	skip=19
	while [ "$skip" -gt 0 ]; do
		start=${start#* }
		skip=$((skip - 1))
	done
	start=${start%% *}
}

lives() { # PID START: whether that process is still there
	case $1 in '' | *[!0-9]*) return 1 ;; esac
	kill -0 "$1" 2>/dev/null || return 1
	if [ -z "$2" ]; then return 0; fi
	started "$1"
	[ "$start" = "$2" ]
}

beginning() { # whether the first command of the run that holds the lock is still at work
	at='' boot='' since=''
	if [ -f "$S/lock/pid" ]; then read -r at boot since <"$S/lock/pid"; fi
	read -r this </proc/sys/kernel/random/boot_id
	[ "$boot" = "$this" ] && lives "$at" "$since"
}

at_work() { # FOLDER of a run: whether a confirm, a release (which lock run) or an undo (which locks mutex) is at work there
	for f in run mutex; do
		if [ -f "$1/$f" ] && ! flock -n "$1/$f" true; then return 0; fi
	done
	return 1
}

ours() { # refuses to go on under a lock that is not this run's
	owner
	[ "$held" = "$T $K" ] || fail lost-lock "the lock in $S/lock is no longer held by run $T: ${held:-there is no lock}"
}

mark() { # sets mark to how far the run in folder $1 came
	mark=absent
	for m in prepared armed loaded confirmed undoing undone conflict failed; do
		if [ -e "$1/state.$m" ]; then mark=$m; fi
	done
}

uptime() { # sets up to seconds since boot, which no clock moves
	read -r up rest </proc/uptime
	up=${up%%.*}
}

number() { # FILE: the whole number in it, or 0
	num=
	if [ -f "$1" ]; then read -r num <"$1"; fi
	case $num in '' | *[!0-9]* | ???????????*) num=0 ;; esac
	while [ "${num#0?}" != "$num" ]; do num=${num#0}; done # which arithmetic would take for octal
	echo "$num"
}

left() { # FOLDER of a run: a line "until SECONDS", where its timer of this boot will undo it
	boot='' this=''
	if [ -f "$1/boot" ]; then read -r boot <"$1/boot"; fi
	read -r this </proc/sys/kernel/random/boot_id
	if [ "$boot" = "$this" ] && [ -f "$1/deadline" ]; then
		uptime
		printf 'until %s\n' "$(($(number "$1/deadline") - up))"
	fi
}
