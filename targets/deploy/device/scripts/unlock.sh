
# HELD WHO: takes away the lock that HELD describes, and what its run left, for WHO: a person who knows that the run is over.
owner
if [ "$held" != "$1" ]; then
	fail lost-lock "the lock in $S/lock is held by another run now: ${held:-there is no lock}"
fi
if beginning; then fail working "the first command of run ${held%% *} has not ended"; fi
over=${held%% *}
case $over in *[!a-z0-9-]*) over='' ;; esac
if [ -n "$over" ]; then
	alone "$S/txn-$over"
	mark "$S/txn-$over"
	case $mark in armed | loaded | undoing) fail armed "run $over is $mark" ;; esac
	if at_work "$S/txn-$over"; then fail working "a command of run $over has not ended"; fi
	credit "$over" unlock "${2:-}" ''
	if [ -f "$S/txn-$over/run" ]; then sh "$S/txn-$over/run" release || exit; fi
	must "remove $S/txn-$over" rm -rf "$S/txn-$over" "$S/txn-$over.new"
fi
must "remove $S/lock" rm -rf "$S/lock"
flush "$S"
echo OK
