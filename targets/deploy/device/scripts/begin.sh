
# The first command of a run, OWNER: it takes the lock, puts what comes on stdin into the run's folder, and prepares.
# Stdin is items: a line "NAME BYTES", and the bytes, or a line "NAME =TEXT"; a name is plain, or has one folder.
plain() { # FOLDER: one of ours, or none: a link would lead elsewhere, and what others own they can change
	if [ -h "$1" ] || { [ -e "$1" ] && [ ! -d "$1" ]; }; then
		fail foreign "$1 is not a folder of rocec: remove it on the device"
	fi
	case $1 in
	"$S"/txn-*) alone "$1" ;;
	*) shut "$1" ;;
	esac
}

plain_file() { # FILE: one, or none. Its content is data, which is bounded where it is read
	if [ -h "$1" ] || { [ -e "$1" ] && [ ! -f "$1" ]; }; then
		fail foreign "$1 is not a file of rocec: remove it on the device"
	fi
	shut "$1"
}

# protect takes the rights of others away from all that rocec keeps, but for folders of runs: what is in those may have been executed.
protect() {
	if [ ! -d "$S" ] || trusted "$S" "$S"/* "$S"/*/*; then return 0; fi
	for p in "$S"/* "$S"/*/*; do
		case $p in
		"$S"/txn-*) ;;
		*)
			if [ ! -h "$p" ]; then shut "$p"; fi
			;;
		esac
	done
}

sign() {
	printf 'txn %s\nkey %s\nowner %s\nsince %s\n' "$T" "$K" "$1" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" | cat >"$S/lock/owner" || return 1
	chmod 644 "$S/lock/owner" || return 1 # whoever logs in may see who is at work
	chmod 755 "$S/lock" || return 1
	flush "$S/lock/owner" "$S/lock" "$S" || return 1
	owner
	[ "$held" = "$T $K" ] || {
		echo 'it does not hold what was written'
		return 1
	}
}

take() { # OWNER; mkdir is atomic, and a lock never expires
	fresh=
	if err=$(mkdir "$S/lock" 2>&1); then
		fresh=yes
		err=$(sign "$1" 2>&1) && return
		owner
		case $held in # half a name of this run, perhaps
		'?' | "$T" | "$T "*) rm -rf "$S/lock" 2>/dev/null || err="$err; the empty lock remains: run rocec resume --abandon" ;;
		esac
		fail "$(cause "$err")" "cannot write $S/lock/owner: $err"
	fi
	owner
	if [ "$held" = '?' ] && [ -z "${waited:-}" ]; then # its holder may be about to write a name
		waited=yes
		sleep 1
		take "$1"
		return
	fi
	if [ -z "$held" ] && [ -z "${gone:-}" ]; then # its holder may have given it back just now
		gone=yes
		take "$1"
		return
	fi
	case $held in
	"$T $K") return ;;
	'') fail "$(cause "$err")" "cannot create $S/lock: $err" ;;
	esac
	# A run that ended by itself, undone by its timer perhaps, has nobody who takes its lock away. One that has just ended may still
	# have to write that down for good, and then takes the lock away itself.
	over=${held%% *}
	case $over in *[!a-z0-9-]*) over='?' ;; esac
	mark "$S/txn-$over"
	case ${again:-}$mark in
	confirmed | undone)
		if [ "$over" != "$T" ] && ! at_work "$S/txn-$over"; then
			alone "$S/txn-$over"
			sh "$S/txn-$over/run" release >/dev/null 2>&1 </dev/null
			again=again
			take "$1"
			return
		fi
		;;
	esac
	fail locked "mark $mark
$(left "$S/txn-$over")
$(head -c 1024 "$S/lock/owner" 2>/dev/null)"
}

flusher
plain "$S"
must "create $S" mkdir -p "$S"
must "protect $S" chmod 755 "$S" # who holds the lock is for all to see; what a run holds stays closed
for d in lock backup "backup/$T" original original/file original/none "txn-$T" "txn-$T.new"; do plain "$S/$d"; done
for f in counter pending lock/owner lock/pid lock/said; do plain_file "$S/$f"; done
protect
take "$1"
started "$$"
read -r this </proc/sys/kernel/random/boot_id
echo "$$ $this $start" >"$S/lock/pid" # the session may break while this goes on: see beginning
finished() { # a person may have given the lock to another run meanwhile
	owner
	if [ "$held" = "$T $K" ]; then rm -f "$S/lock/pid"; fi
}
give() { # gives the lock back where this command took it
	if [ -z "$fresh" ]; then return; fi
	rm -rf "$X.new"
	if mine; then rm -rf "$X"; fi
	drop
}
for x in "$S"/txn-*; do
	if { [ "$x" = "$X" ] && mine; } || [ "$x" = "$X.new" ] || [ -h "$x" ] || [ ! -d "$x" ]; then continue; fi
	(alone "$x") || {
		give
		exit 1
	}
	mark "$x"
	case $mark in
	armed | loaded | undoing)
		give
		fail locked "mark $mark
$(left "$x")
txn ${x#"$S/txn-"}"
		;;
	esac
	if [ -f "$x/run" ]; then sh "$x/run" release >/dev/null 2>&1 </dev/null; fi
	rm -rf "$x"
done
mark "$X"
if [ "$mark" != absent ]; then
	finished
	echo OK
	exit 0
fi
unpack() { # the run's folder is there when all of it is on the disk: a power cut leaves no half of a script that undoes
	if [ -e "$X" ] || [ -e "$X.new" ]; then rm -rf "$X" "$X.new" || return 1; fi
	mkdir "$X.new" "$X.new/live" || return 1
	while read -r name size; do
		case $name in */*) [ -d "$X.new/${name%/*}" ] || mkdir -p "$X.new/${name%/*}" || return 1 ;; esac
		case $size in
		0) true >"$X.new/$name" || return 1 ;;
		=*) printf '%s\n' "${size#=}" >"$X.new/$name" || return 1 ;;
		*) head -c "$size" >"$X.new/$name" || return 1 ;;
		esac
	done
	if [ ! -f "$X.new/end" ]; then # which is the last item, so that all others came whole
		echo 'the end is missing'
		return 1
	fi
	echo "$ROCEC_FLUSH" >"$X.new/flush" || return 1 # so that later commands need not find out again
	set -- "$X.new"/*
	for step in "$X.new"/step.*; do
		if [ -d "$step" ]; then set -- "$@" "$step"/*; fi
	done
	chmod 711 "$X.new" || return 1 # how far the run came is for all to see
	flush "$@" "$X.new" && mv "$X.new" "$X" && flush "$S"
}
unpack >"$S/lock/said" 2>&1 || {
	err=$(cat "$S/lock/said" 2>/dev/null)
	give
	fail "$(cause "$err")" "what was sent did not arrive whole in $X: $err"
}
rm -f "$S/lock/said"
head='' message=''
while read -r key value; do
	case $key in
	head) head=$value ;;
	message) message=" ($value)" ;;
	esac
done <"$X/about"
say "run $T: prepare by $1$message, head $head"
status=0
sh "$X/run" prepare || status=$?
finished
if [ "$status" = 0 ]; then echo OK; fi
exit "$status"
