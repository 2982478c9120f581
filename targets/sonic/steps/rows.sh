# What the steps and queries below share. SONiC has no lock and no transaction, so each of them looks at the running configuration before it
# does anything.
fail() {
	printf '%s\n' "$*" >&2
	exit 1
}
tab='	'
nl='
'

# rows prints the running configuration as far as it is about classes: a line "TABLE|KEY field value" for each field, the value as JSON. All
# else stays on the switch: logins, keys, addresses. sonic-cfggen prints four blanks a level, a line for each field; of a list, for each
# member. PFC_WD|GLOBAL counts where a port has a watchdog: nothing takes it away again.
rows() {
	{ sonic-cfggen -d --print-data 2>/dev/null && echo end; } | head -c 67108864 | {
		table='' keep='' row='' field='' list='' end='' whole='' poll='' watched='' hwsku='' platform=''
		while IFS= read -r line; do
			case $line in
			'                '*) # the member of a list
				if [ -n "$list" ]; then
					line=${line#"${line%%[! ]*}"}
					list=$list${line%,},
				fi
				;;
			'            ]'*)
				if [ -n "$list" ]; then list=${list#,} && printf '%s\n' "$table|$row $field [${list%,}]"; fi
				list=''
				;;
			'            "'*)
				if [ -z "$keep" ]; then continue; fi
				line=${line#'            "'}
				field=${line%%\"*}
				value=${line#*\": }
				value=${value%,}
				case "$table|$row|$field" in
				*' '* | *"$tab"*) exit 1 ;;
				'DEVICE_METADATA|localhost|hwsku') hwsku=${value#\"} && hwsku=${hwsku%\"} ;;
				'DEVICE_METADATA|localhost|platform') platform=${value#\"} && platform=${platform%\"} ;;
				'DEVICE_METADATA|localhost|'buffer_model | 'DEVICE_METADATA|localhost|'*type | 'DEVICE_METADATA|localhost|default_pfcwd_status') ;;
				'PORT|'*'|'lanes | 'PORT|'*'|'speed | 'PORT|'*'|'alias | 'PORT|'*'|'admin_status | 'PORT|'*'|'mtu | 'PORT|'*'|'fec | 'PORT|'*'|'pfc_asym) ;;
				'DEVICE_METADATA|'* | 'PORT|'*) continue ;;
				'PFC_WD|GLOBAL|'*) poll="$poll$table|$row $field $value$nl" && continue ;;
				esac
				case $value in '[') list=, ;; *) printf '%s\n' "$table|$row $field $value" ;; esac
				;;
			'        "'*)
				keep=''
				line=${line#'        "'}
				row=${line%%\"*}
				case $table in
				DSCP_TO_TC_MAP | DOT1P_TO_TC_MAP | TC_TO_QUEUE_MAP | TC_TO_PRIORITY_GROUP_MAP | TC_TO_DSCP_MAP) keep=yes ;;
				MAP_PFC_PRIORITY_TO_QUEUE | PFC_PRIORITY_TO_PRIORITY_GROUP_MAP | PORT_QOS_MAP | SCHEDULER | QUEUE | WRED_PROFILE) keep=yes ;;
				BUFFER_POOL | BUFFER_PG | BUFFER_QUEUE | BUFFER_PORT_INGRESS_PROFILE_LIST | BUFFER_PORT_EGRESS_PROFILE_LIST) keep=yes ;;
				CABLE_LENGTH | LOSSLESS_TRAFFIC_PATTERN | DEFAULT_LOSSLESS_BUFFER_PARAMETER | PORT | DEVICE_METADATA) keep=yes ;;
				BUFFER_PROFILE) case $row in pg_lossless_*_profile) ;; *) keep=yes ;; esac ;; # buffermgrd makes those, and nobody takes them away
				PFC_WD) keep=yes && if [ "$row" != GLOBAL ]; then watched=yes; fi ;;
				esac
				case $keep$line in yes*'{}' | yes*'{},') printf '%s\n' "$table|$row" ;; esac
				;;
			'    "'*)
				line=${line#'    "'}
				table=${line%%\"*} keep='' list=''
				;;
			'}') whole=yes ;;
			end) end=yes ;;
			esac
		done
		[ "$whole$end" = yesyes ] || exit 1
		if [ -n "$watched" ]; then printf %s "$poll"; fi
		facts "$platform" "$hwsku"
	}
}

# facts PLATFORM HWSKU prints what stands in files, as rows too: the release, how many chips there are, and the sizes of buffers that the
# vendor gives for speeds and lengths of cable.
facts() {
	while IFS=': ' read -r name value; do
		value=${value#[\"\']}
		value=${value%[\"\']}
		case $name/$value in
		*/ | *[!A-Za-z0-9._+/-]*) ;;
		build_version/* | asic_type/*) printf '%s\n' "@version|localhost $name \"$value\"" ;;
		esac
	done </etc/sonic/sonic_version.yml
	case $1 in '' | *[!A-Za-z0-9._-]* | .*) return 0 ;; esac
	dir=/usr/share/sonic/device/$1
	if [ -f "$dir/asic.conf" ]; then
		while IFS='=' read -r name value; do
			case $name/$value in NUM_ASIC/*[!0-9]*) ;; NUM_ASIC/?*) printf '%s\n' "@version|localhost asic_count \"$value\"" ;; esac
		done <"$dir/asic.conf"
	fi
	case $2 in '' | *[!A-Za-z0-9._-]* | .*) return 0 ;; esac
	sizes=$dir/$2/pg_profile_lookup.ini
	if [ ! -f "$sizes" ]; then return 0; fi
	printf '%s\n' '@lookup|file'
	head -c 65536 "$sizes" | while read -r speed length size xon xoff threshold offset rest || [ -n "$speed" ]; do
		case $speed$size$xon$xoff${threshold#-}${offset:-0} in *[!0-9]*) continue ;; esac
		if [ -z "${threshold#-}" ]; then continue; fi
		case $threshold/$length in */*[!0-9]*m | */m | */*[!m] | /*) continue ;; esac
		printf '%s\n' "@lookup|$speed|$length size \"$size\"" "@lookup|$speed|$length xon \"$xon\"" \
			"@lookup|$speed|$length xoff \"$xoff\"" "@lookup|$speed|$length threshold \"$threshold\""
		if [ -n "$offset" ]; then printf '%s\n' "@lookup|$speed|$length xon_offset \"$offset\""; fi
	done
}

# running prints the rows in order of their bytes, which redis promises none of, and each once: a file of a vendor's may have a line twice.
# They are no argument, since a shell may have no printf of its own.
running() {
	text=$(rows) || return 1
	LC_ALL=C sort -u <<EOF
$text
EOF
}
