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

json_file() { # PATH: prints the hash of a file that is there, and who may change it
	[ -f "$root$1" ] || return 0
	hash=$(sha256sum <"$root$1" 2>/dev/null) || hash=
	printf '%s{"path":' "$comma"
	json "$1"
	printf ',"sha256":'
	[ -n "$hash" ] && json "${hash%% *}" || printf null
	! ask stat -c %u:%g:%a "$root$1" || { printf ',"rights":' && json "$text"; }
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
	rest=$(printf '%s\n' "$root"/usr/local/sbin/rocec-host* \
		"$root"/etc/systemd/system/rocec-host*@.service "$root"/etc/udev/rules.d/*rocec*.rules)
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
	for path in $rest "$@"; do json_file "${path#"$root"}"; done
	printf '],"nics":['
	failed=0
	between=
	for path; do
		if=${path##*/}
		if=${if%.conf}
		netdev "$if" && slurp "$path" || continue
		net=$root/sys/class/net/$if
		other= # the script of another family, which knows its NICs
		case $found in *' /usr/local/sbin/rocec-host'*.) other=${found##*/} ;; esac
		case ${other%.} in '' | TOOL | *[!a-z0-9-]*) other= ;; esac
		[ -z "$other" ] || [ -e "$root/usr/local/sbin/${other%.}" ] || continue
		printf %s "$between"
		if [ -z "$other" ]; then
			(json_nic) || failed=1
		else
			"$root/usr/local/sbin/${other%.}" check --json "$if" || failed=1
		fi
		between=,
	done
	printf ']}\n'
	return "$failed"
}
