# ---- check --json: one document for every value file of this host, for rocec verify --from ----

json() { # TEXT: prints it as a string; what is no plain character goes byte by byte
	case $1 in
	*[!]^-~\ !#-[]*)
		printf '"'
		for byte in $(printf %s "$1" | od -An -v -tx1); do printf '\\u00%s' "$byte"; done
		printf '"'
		;;
	*) printf '"%s"' "$1" ;;
	esac
}

json_lines() { # TEXT: prints its lines as strings
	IFS=$nl
	set -- $1
	IFS=' 	
'
	comma=
	for line; do
		printf %s "$comma"
		json "$line"
		comma=,
	done
}

json_file() { # PATH: prints the hash of a file that is there
	[ -f "$root$1" ] || return 0
	hash=$(sha256sum <"$root$1" 2>/dev/null) || hash=
	printf '%s{"path":' "$comma"
	json "$1"
	printf ',"sha256":'
	[ -n "$hash" ] && json "${hash%% *}" || printf null
	printf '}'
	comma=,
}

json_nic() { # prints the NIC of the value file, as show, gids and check see it; fails where check does
	good=true
	driver=
	settings=
	slots=
	if [ -e "$net" ]; then
		driver=$(readlink "$net/device/driver") || driver=none
		verb=show
		conf=
		load
		pick_tool
		find_rdma || :
		settings=$(show)
		slots=$(gids)
		verb=check
		conf=
		differing=$( (load && check) 2>&1) || good=false
	else
		differing="there is no such interface"
		good=false
	fi
	printf '{"name":'
	json "$if"
	printf ',"driver":'
	json "${driver##*/}"
	printf ',"settings":{'
	IFS=$nl
	set -- $settings
	IFS=' 	
'
	comma=
	for line; do
		printf %s "$comma"
		json "${line%%=*}"
		printf :
		json "${line#*=}"
		comma=,
	done
	printf '},"gids":['
	json_lines "$slots"
	printf '],"good":%s,"differs":[' "$good"
	json_lines "$differing"
	printf ']}'
	[ "$good" = true ]
}

check_json() {
	set +f
	set -- "$root"/etc/rocec/host/*.conf
	rest=$(printf '%s\n' "$root"/etc/systemd/system/rocec-host*@.service "$root"/etc/udev/rules.d/*rocec*.rules)
	set -f
	[ -e "$1" ] || set --
	printf '{"format_version":"1.0","host":'
	slurp "$root/proc/sys/kernel/hostname" || found=
	json "$found"
	printf ',"boot_id":'
	slurp "$root/proc/sys/kernel/random/boot_id" || found=
	json "$found"
	printf ',"files":['
	comma=
	json_file /usr/local/sbin/TOOL
	for path in $rest "$@"; do json_file "${path#"$root"}"; done
	printf '],"nics":['
	failed=0
	between=
	for path; do
		if=${path##*/}
		if=${if%.conf}
		netdev "$if" && slurp "$path" || continue
		case $found in *"/TOOL."*) ;; *"/rocec-host"*) continue ;; esac # of another family, whose own script knows it
		net=$root/sys/class/net/$if
		printf %s "$between"
		(json_nic) || failed=1
		between=,
	done
	printf ']}\n'
	return "$failed"
}
