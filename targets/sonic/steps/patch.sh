# A change and its way back come as stages, in lines of fields with tabs between them: "stage forth" or "stage back"; "row TABLE KEY ROW", where
# ROW is JSON, or "-" where there is to be none; "sh LINE" of a script. A patch is made of what is there now, so that one that stopped half way can
# be gone back from.

# op PATH [VALUE]: adds an operation of RFC 6902 to ops. To add a row that is there replaces it.
op() {
	if [ "$#" = 2 ]; then
		ops="$ops,$nl{\"op\": \"add\", \"path\": \"$1\", \"value\": $2}"
	else
		ops="$ops,$nl{\"op\": \"remove\", \"path\": \"$1\"}"
	fi
}

# begin TABLE, and goal KEY ROW, and finish: the operations for the rows of one table. No table may become empty, and none that is there not
# can get a row.
begin() {
	table=$1 adds='' gone=0 count=0
	have=$(sonic-db-cli CONFIG_DB KEYS "$table|*") || fail "sonic-db-cli does not answer: $have"
	for one in $have; do count=$((count + 1)); done
	before=$ops
}
goal() {
	case $2 in
	-) case "$nl$have$nl" in *"$nl$table|$1$nl"*) gone=$((gone + 1)) && op "/$table/$1" ;; esac ;;
	*) adds="$adds, \"$1\": $2" && op "/$table/$1" "$2" ;;
	esac
}
finish() {
	if [ -z "$table" ]; then return 0; fi
	if [ "$count" = 0 ] && [ -n "$adds" ]; then
		ops=$before && op "/$table" "{${adds#, }}"
	elif [ "$gone" -gt 0 ] && [ "$gone" = "$count" ] && [ -z "$adds" ]; then
		ops=$before && op "/$table"
	fi
	table=''
}

# play forth|back: goes through the stages. That a patch was applied is no proof of what daemons do with it.
play() {
	stage=0
	while stage=$((stage + 1)) && [ -f "$ROCEC_STEP/$1.$stage" ]; do
		ops='' table=''
		while IFS=$tab read -r kind of key row; do
			if [ "$kind" != row ]; then continue; fi
			if [ "$of" != "$table" ]; then finish && begin "$of"; fi
			goal "$key" "$row"
		done <"$ROCEC_STEP/$1.$stage"
		finish
		if [ -n "$ops" ]; then
			file=$ROCEC_STEP/patch.$1.$stage
			printf '%s\n' "[${ops#,}$nl]" >"$file" || exit 1
			out=$(config apply-patch "$file" 2>&1 >"$ROCEC_STEP/said") || fail "config apply-patch: $(printf '%s\n' "$out" | tail -n 4)"
			grep -q 'Patch applied successfully' "$ROCEC_STEP/said" || fail "config apply-patch says nothing of success: $(tail -n 4 "$ROCEC_STEP/said")"
		fi
		if [ -f "$ROCEC_STEP/$1.$stage.sh" ]; then
			out=$(sh "$ROCEC_STEP/$1.$stage.sh" </dev/null 2>&1) || fail "$(cat "$ROCEC_STEP/$1.$stage.sh"): $out"
			case $out in *Error* | *ERROR* | *Usage:* | *'Failed to run'*) fail "$(cat "$ROCEC_STEP/$1.$stage.sh"): $out" ;; esac
		fi
	done
}

# stages keeps what standard input says of them, each in a file of its own.
stages() {
	to='' forth=0 back=0
	read -r base
	read -r goal
	while IFS= read -r line; do
		case $line in
		"stage${tab}forth") forth=$((forth + 1)) && to=$ROCEC_STEP/forth.$forth ;;
		"stage${tab}back") back=$((back + 1)) && to=$ROCEC_STEP/back.$back ;;
		"sh$tab"*) printf '%s\n' "${line#*"$tab"}" >>"$to.sh" || exit 1 ;;
		esac
		printf '%s\n' "$line" >>"$to" || exit 1
	done
}

# is SHA256: reports whether the running configuration has that sum.
is() {
	sum=$(running | sha256sum)
	[ "${sum%% *}" = "$1" ]
}

# unchanged SHA256: sets way to the stages that lead to the configuration of that sum, once a run was kept: back, or forth where that run
# had gone back itself. Nobody may have changed what it left.
unchanged() {
	way=back from=$goal
	if [ "$1" = "$goal" ]; then way=forth from=$base; fi
	is "$from" || fail "the running configuration is not the one that rocec wrote: somebody has changed it since. Plan and apply the fabric you want."
}

saved=/etc/sonic/config_db.json
# keepsake keeps the configuration that the switch starts with, for a way back.
keepsake() {
	if [ -f "$saved" ]; then
		cp -p "$saved" "$ROCEC_STEP/saved.new" && sync "$ROCEC_STEP/saved.new" && mv "$ROCEC_STEP/saved.new" "$ROCEC_STEP/saved" || return 1
	fi
	echo yes >"$ROCEC_STEP/aside" && sync "$ROCEC_STEP"/* "$ROCEC_STEP"
}

# restore brings that back, where it has changed.
restore() {
	if [ ! -f "$ROCEC_STEP/aside" ]; then return 0; fi
	if [ ! -f "$ROCEC_STEP/saved" ]; then
		rm -f "$saved" && sync "${saved%/*}"
		return
	fi
	if cmp -s "$ROCEC_STEP/saved" "$saved"; then return 0; fi
	cp -p "$ROCEC_STEP/saved" "$saved.rocec" && sync "$saved.rocec" && mv -f "$saved.rocec" "$saved" && sync "${saved%/*}"
}
