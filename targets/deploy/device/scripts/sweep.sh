
# WHO: takes away what run T has left without a lock.
alone "$X"
mark "$X"
case $mark in armed | loaded | undoing) fail armed "run $T is $mark" ;; esac
if at_work "$X"; then fail working "a command of run $T has not ended"; fi
credit "$T" unlock "${1:-}" ''
if [ -f "$X/run" ]; then sh "$X/run" release || exit; fi
must "remove $X" rm -rf "$X" "$X.new"
flush "$S"
echo OK
