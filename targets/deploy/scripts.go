package deploy

// The verbs of the single-device protocol, as they run on a device: POSIX sh, as root, one verb a command. Everything
// they need comes as arguments; only file content comes on stdin.
//
// A verb that worked exits 0 and prints OK as its last line; a half-typed answer is no answer. One that did not prints
// "rocec-fail WORD" and then the reason on stderr. WORD is one of the words of failures in session.go.
//
// On the device: /var/lib/rocec (root, 0700) holds lock/owner, lock/step.N.* (how far making the device use the files
// came), pending (files that lie there new and may not be in use yet) and backup/<txn>/ (files: the list; N: the
// content before). Beside each file: .rocec-<txn>-<n>.new is the upload, .rocec-<txn>-<n>.old a hard link to the
// content before, so that both going forward and going back are one rename and going back needs no free space.
//
// `sync FILE` is fsync from coreutils 8.24 on. Older ones flush every file system instead: slower, and as safe.

// stateDir is the only place of ours on a device, besides the files themselves.
const stateDir = "/var/lib/rocec"

// prelude starts every verb; $1 is the transaction.
const prelude = `set -u
LC_ALL=C
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
export LC_ALL PATH
S=` + stateDir + `
T=$1
shift

code=1
fail() {
	printf 'rocec-fail %s\n%s\n' "$1" "$2" >&2
	exit "$code"
}

# cause names the errno in what a tool said.
cause() {
	case $1 in
	*'Read-only file system'*) echo read-only ;;
	*'No space left'* | *'quota exceeded'*) echo no-space ;;
	*'Permission denied'* | *'Operation not permitted'*) echo permission ;;
	*) echo failed ;;
	esac
}

# must runs a command that has to work: must WHAT COMMAND...
must() {
	what=$1
	shift
	err=$("$@" 2>&1) || fail "$(cause "$err")" "cannot $what: $err"
}

# save writes stdin to a file and to the disk: save WHAT FILE
save() {
	err=$({ cat >"$2"; } 2>&1) || fail "$(cause "$err")" "cannot $1: $err"
	must "$1" sync "$2"
}

# sum prints the SHA-256 of a file, or a word that is none; it fails where the file cannot be read.
sum() {
	if [ -h "$1" ]; then
		echo link
	elif [ -f "$1" ]; then
		hash=$(sha256sum <"$1" 2>/dev/null) && echo "${hash%% *}"
	elif [ -e "$1" ]; then
		echo special
	else
		echo absent
	fi
}

# dir prints the directory of a file, its temporary neighbours' too.
dir() {
	d=${1%/*}
	echo "${d:-/}"
}
beside() {
	d=${1%/*}
	echo "$d/.rocec-$T-$2"
}

# ours refuses to go on under a lock that is not this transaction's.
ours() {
	held=
	if [ -f "$S/lock/owner" ]; then
		held=$(head -n 1 "$S/lock/owner" 2>&1) || fail "$(cause "$held")" "cannot read $S/lock/owner: $held"
	fi
	[ "$held" = "txn $T" ] || fail lost-lock "the lock in $S/lock is no longer held by transaction $T: ${held:-there is no lock}"
}
`

// The arguments of a verb, after the transaction, stand in its comment. FILES is "N PATH BASE TARGET" for every file
// of the change, N its number, BASE and TARGET its SHA-256 before and after, or "absent".
const (
	// lockVerb OWNER takes the lock, or says who holds it. mkdir is atomic; a lock never expires.
	lockVerb = prelude + `
must "create $S" mkdir -p "$S"
must "protect $S" chmod 700 "$S"
err=$(mkdir "$S/lock" 2>&1) || {
	if [ -d "$S/lock" ]; then fail locked "$(head -c 1024 "$S/lock/owner" 2>/dev/null)"; fi
	case $err in *'File exists'*) fail locked '' ;; esac
	fail "$(cause "$err")" "cannot create $S/lock: $err"
}
since=$(date -u +%Y-%m-%dT%H:%M:%SZ)
sign() {
	printf 'txn %s\nowner %s\nsince %s\n' "$T" "$1" "$since" | cat >"$S/lock/owner" || return 1
	sync "$S/lock/owner" && sync "$S/lock" && sync "$S"
}
err=$(sign "$1" 2>&1) || {
	rm -rf "$S/lock" 2>/dev/null || err="$err; the empty lock remains, remove it on the device: sudo rm -r $S/lock"
	fail "$(cause "$err")" "cannot write $S/lock/owner: $err"
}
echo OK
`

	// checkVerb KIB FILES compares every file with what the plan saw, sweeps what dead runs left beside the files (the
	// lock is ours, so nobody needs it), and asks for KIB of free space in every directory.
	checkVerb = prelude + `
ours
need=$1
shift
stale=
while [ $# -gt 0 ]; do
	now=$(sum "$2") || fail failed "cannot read $2"
	[ "$now" = "$3" ] || stale="$stale $2"
	d=$(dir "$2")
	for left in "$d"/.rocec-*.new "$d"/.rocec-*.old; do
		if [ -f "$left" ]; then must "remove $left" rm -f "$left"; fi
	done
	while [ ! -d "$d" ]; do d=$(dir "$d"); done
	for at in "$d" "$S"; do
		free=$(df -Pk "$at" 2>/dev/null | tail -n 1 | tr -s ' ' | cut -d ' ' -f 4)
		case $free in
		'' | *[!0-9]*) ;;
		*) [ "$free" -ge "$need" ] || fail no-space "$at has $free KiB free, $need KiB are needed" ;;
		esac
	done
	shift 4
done
[ -z "$stale" ] || fail stale "${stale# }"
echo OK
`

	// uploadVerb N PATH MODE TARGET writes stdin beside the file, with the owner and mode of the file where there is
	// one, and reads it back.
	uploadVerb = prelude + `
ours
new=$(beside "$2" "$1").new
d=$(dir "$2")
must "create $d" mkdir -p "$d"
must "remove $new" rm -f "$new"
save "write $new" "$new"
if [ -f "$2" ]; then
	owner=$(stat -c %u:%g "$2") || fail failed "cannot read the owner of $2"
	mode=$(stat -c %a "$2") || fail failed "cannot read the mode of $2"
	must "set the owner of $new" chown "$owner" "$new"
	must "set the mode of $new" chmod "$mode" "$new"
else
	must "set the mode of $new" chmod "$3" "$new"
fi
must "write $new" sync "$new"
now=$(sum "$new") || fail failed "cannot read $new"
[ "$now" = "$4" ] || fail truncated "$new did not arrive as it was sent (SHA-256 $now, not $4)"
echo OK
`

	// precheckVerb N PATH CMD asks the vendor's checker about the upload.
	precheckVerb = prelude + `
ours
out=$(timeout 60 sh -c "$3" rocec "$(beside "$2" "$1").new" 2>&1 </dev/null) || fail rejected "$out"
echo OK
`

	// backupVerb FILES keeps the content before, twice: a hard link beside the file for going back, a copy in
	// backup/<txn> for a person.
	backupVerb = prelude + `
ours
b=$S/backup/$T
must "create $b" mkdir -p "$b"
must "protect $b" chmod 700 "$S/backup" "$b"
list=
while [ $# -gt 0 ]; do
	if [ "$3" != absent ] && [ "$3" != "$4" ]; then
		old=$(beside "$2" "$1").old
		must "back up $2" rm -f "$old"
		ln "$2" "$old" 2>/dev/null || must "back up $2" cp -p "$2" "$old"
		must "back up $2" sync "$old"
		must "back up $2" sync "$(dir "$2")"
		must "back up $2" cp -p "$2" "$b/$1"
		must "back up $2" sync "$b/$1"
		now=$(sum "$b/$1") || fail failed "cannot read $b/$1"
		[ "$now" = "$3" ] || fail stale "$2"
	fi
	list="$list$1 $3 $4 $2
"
	shift 4
done
printf %s "$list" | save "write $b/files" "$b/files" || exit 1
must "write $b" sync "$b"
must "write $b" sync "$S/backup"
echo OK
`

	// commitVerb FILES puts the uploads in place. Before the first rename everything is compared once more, and the
	// files are noted in pending, so that a run that dies after this does not leave files nobody ever put to use. Exit
	// status 1 is a failure before the first rename, 2 one after it.
	commitVerb = prelude + `
ours
check() {
	list=
	while [ $# -gt 0 ]; do
		now=$(sum "$2") || fail failed "cannot read $2"
		[ "$now" = "$3" ] || fail stale "$2"
		if [ "$4" != absent ] && [ "$3" != "$4" ]; then
			now=$(sum "$(beside "$2" "$1").new") || fail failed "cannot read the upload beside $2"
			[ "$now" = "$4" ] || fail truncated "the upload beside $2 is not what was sent"
		fi
		list="$list$2
"
		shift 4
	done
}
check "$@"
printf %s "$list" | save "write $S/pending" "$S/pending.new" || exit 1
must "write $S/pending" mv -f "$S/pending.new" "$S/pending"
must "write $S/pending" sync "$S"
code=2
while [ $# -gt 0 ]; do
	if [ "$3" = "$4" ]; then
		shift 4
		continue
	fi
	if [ "$4" = absent ]; then
		must "remove $2" rm -f "$2"
	else
		must "replace $2" mv -f "$(beside "$2" "$1").new" "$2"
	fi
	must "write $2" sync "$(dir "$2")"
	shift 4
done
echo OK
`

	// activateVerb N SECONDS CMD runs a step and notes on the device that it began and how it ended, so that a lost
	// connection does not leave open whether it ran. Its output goes nowhere a lost connection could stop it.
	activateVerb = prelude + `
ours
touch "$S/lock/step.$1.begun" 2>/dev/null
out=$(timeout "$2" sh -c "$3" 2>&1 </dev/null)
status=$?
printf '%s\n' "$status" 2>/dev/null | cat >"$S/lock/step.$1.status" 2>/dev/null
case $status in
0) echo OK ;;
124) fail activation "it did not end within $2 seconds. $out" ;;
*) fail activation "exit status $status. $out" ;;
esac
`

	// settledVerb SECONDS CHECK asks once whether the device uses the files.
	settledVerb = prelude + `
out=$(timeout "$1" sh -c "$2" 2>&1 </dev/null) || fail unsettled "$out"
echo OK
`

	// stateVerb STEPS FILES tells how far a transaction came, after a lost connection.
	stateVerb = prelude + `
held=
if [ -f "$S/lock/owner" ]; then
	held=$(head -n 1 "$S/lock/owner")
elif [ -d "$S/lock" ]; then
	held='?'
fi
printf 'lock %s\n' "${held#txn }"
steps=$1
shift
i=0
while [ "$i" -lt "$steps" ]; do
	if [ -f "$S/lock/step.$i.status" ]; then
		printf 'step %s\n' "$(cat "$S/lock/step.$i.status")"
	elif [ -f "$S/lock/step.$i.begun" ]; then
		echo 'step begun'
	else
		echo 'step none'
	fi
	i=$((i + 1))
done
while [ $# -gt 0 ]; do
	printf 'file %s\n' "$(sum "$2" || echo unreadable)"
	shift 4
done
echo OK
`

	// restoreVerb FILES goes back, file by file: ours is undone, what is neither old nor new is left to a person. The
	// uploads go first: a commit that still hangs in a sync somewhere then cannot go on.
	restoreVerb = prelude + `
ours
drop() {
	while [ $# -gt 0 ]; do
		rm -f "$(beside "$2" "$1").new" 2>/dev/null
		shift 4
	done
}
drop "$@"
foreign=
while [ $# -gt 0 ]; do
	old=$(beside "$2" "$1").old
	now=$(sum "$2") || fail failed "cannot read $2"
	if [ "$now" = "$3" ]; then
		:
	elif [ "$now" != "$4" ]; then
		foreign="$foreign $2"
	elif [ "$3" = absent ]; then
		must "remove $2" rm -f "$2"
		must "remove $2" sync "$(dir "$2")"
	else
		if [ "$(sum "$old")" != "$3" ]; then
			must "restore $2" cp -p "$S/backup/$T/$1" "$old"
			must "restore $2" sync "$old"
		fi
		must "restore $2" mv -f "$old" "$2"
		must "restore $2" sync "$(dir "$2")"
	fi
	shift 4
done
[ -z "$foreign" ] || fail conflict "${foreign# }"
echo OK
`

	// releaseVerb PENDING KEEP FILES takes away what is only needed under way, and the lock. PENDING is "none" when no
	// file waits to be put to use; KEEP is how many backups stay.
	releaseVerb = prelude + `
ours
if [ "$1" = none ]; then must "remove $S/pending" rm -f "$S/pending" "$S/pending.new"; fi
keep=$2
shift 2
while [ $# -gt 0 ]; do
	tmp=$(beside "$2" "$1")
	must "remove $tmp.*" rm -f "$tmp.new" "$tmp.old"
	shift 4
done
n=0
for b in "$S"/backup/*; do
	if [ -d "$b" ]; then n=$((n + 1)); fi
done
for b in "$S"/backup/*; do
	[ "$n" -gt "$keep" ] || break
	if [ -d "$b" ] && [ "$b" != "$S/backup/$T" ]; then
		must "remove $b" rm -rf "$b"
		n=$((n - 1))
	fi
done
must "remove $S/lock" rm -rf "$S/lock"
sync "$S" 2>/dev/null
echo OK
`
)
