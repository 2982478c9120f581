# Goes back to the revision from before. At boot nvued is not up yet, and loads what startup.yaml has. After the change was kept (kept), the
# revision from before is named by the message of the applied one.
if [ "$ROCEC_WHY" = boot ]; then
	if [ ! -f "$ROCEC_STEP/applying" ]; then exit 0; fi # nothing of this run was applied, so what it starts with is somebody's
	if [ ! -f "$ROCEC_STEP/startup" ]; then
		rm -f "$startup" && sync "${startup%/*}"
		exit
	fi
	if cmp -s "$ROCEC_STEP/startup" "$startup"; then exit 0; fi
	cp -p "$ROCEC_STEP/startup" "$startup.rocec" && sync "$startup.rocec" && mv -f "$startup.rocec" "$startup" && sync "${startup%/*}"
	exit
fi
up() { # nvued may have ended in the middle of the change
	for try in 1 2 3 4 5 6 7 8 9 10 11 12; do
		if applied; then return 0; fi
		if [ "$try" = 1 ]; then systemctl restart nvued; fi
		sleep 5
	done
	fail "nvued does not say which revision is applied"
}
if [ "$ROCEC_WHY" = kept ]; then
	was() { tree "$1" | cmp -s - "$ROCEC_LIVE/nvue/applied"; }
	since
	record || exit 1
	had=''
	while read -r id is said; do
		if [ "$id" = "$back" ]; then had=$said; fi
	done <<END
$(revisions)
END
	echo "$back" >"$ROCEC_STEP/rev" && sync "$ROCEC_STEP/rev" "$ROCEC_STEP" || exit 1
	go "$back" "$now" "$had"
	exit
fi
if [ ! -f "$ROCEC_STEP/rev" ]; then exit 0; fi
nl='
'
read -r prev <"$ROCEC_STEP/prev"
read -r rev <"$ROCEC_STEP/rev"
drop() { # the revision, where this run has made it
	if [ -f "$ROCEC_STEP/made" ]; then nv config delete "$rev" >/dev/null 2>&1; fi
}
if [ ! -f "$ROCEC_STEP/applying" ]; then # nothing was applied
	drop
	exit 0
fi
mine=rocec-undo
read -r said <"$ROCEC_STEP/said"
case $said in rocec-*) mine=$said ;; esac # a later run that goes back needs it
up
refused='' half=''
case "$nl$(revisions)" in
*"$nl$rev pending "* | *"$nl$rev invalid "* | *"$nl$rev ays_fail "*) refused=yes ;;
*"$nl$rev apply "*) half=yes ;;
esac
case $now in
"$rev")
	if [ "$state" = confirm ]; then nv config apply "$rev" --confirm-no >/dev/null 2>&1; fi
	up
	if [ "$now" != "$prev" ]; then try nv config apply "$prev" -y -m "$mine"; fi
	;;
"$prev") # an apply that ended half way has changed the chip, and not the name; one that was refused has changed nothing
	if [ -z "$refused" ]; then try nv config apply "$prev" -y -m "$mine"; fi
	;;
*) # NVUE may have gone back itself by a revision of another number
	if ! tree applied | cmp -s - "$ROCEC_LIVE/nvue/applied"; then
		fail "revision $now is applied over revision $rev of this run: somebody else's change holds rocec's. See nv config diff $prev $now"
	fi
	;;
esac
if [ ! -f "$ROCEC_STEP/startup" ] && [ -f "$startup" ]; then
	try nv config save
elif [ -f "$startup" ] && ! cmp -s "$ROCEC_STEP/startup" "$startup"; then
	try nv config save
fi
if [ -n "$refused$half" ]; then drop; fi
tree applied | cmp -s - "$ROCEC_LIVE/nvue/applied" || fail "revision $prev was applied again, and the configuration is not as before"
