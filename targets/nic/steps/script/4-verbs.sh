# ---- the verbs ----

like_host() { # whether the interface is as the host's own network configuration should have it
	obs=
	see_host
	! differs 'bond mtu'
}

compare_host() { # what the host's own network configuration decides is never changed; at boot it may come late
	wants bond mtu || return 0
	await like_host || for key in $diff; do
		look "$conf" "$key" && want=$found
		look "$obs" "$key" && fail "$key is $found, the fabric says $want: change the network configuration of this host"
	done
}

apply() {
	[ -n "$source" ] || die "/etc/rocec/host/$if.conf is not there"
	rivals
	ready
	keep_before
	look "$conf" vlan && find_vlan || vdev=
	drop_made # for another VLAN, which the NIC carries no more
	bring_about
	compare_host
	[ "$failed" -ne 0 ] || still_there
	return "$failed"
}

keep_before() { # what the NIC held before the first apply, for leave; a NIC that holds all that is wanted tells nothing of that
	if [ -e "$state/$if.before" ]; then
		keep_more
		return
	fi
	! wants roce_mode tos || come_up || : # bring_about says so
	see_all
	set_keys
	differs "$found" || return 0
	kept=
	look "$conf" vlan && kept=vlan=$found$nl
	set_keys
	keep_seen "$found"
	[ -d "$state" ] || mkdir -p "$state" || return 0
	printf %s "$kept" >"$state/$if.before" || fail "cannot write $state/$if.before"
}

keep_more() { # and what later applies are the first to set
	kept=
	while IFS= read -r line; do kept=$kept$line$nl; done <"$state/$if.before"
	more_keys
	row=
	for key in $found; do look "$kept" "$key" || row="$row $key"; done
	set_keys_of "$row"
	[ -n "$found" ] || return 0
	new=$found
	see_all
	differs "$new" || return 0
	kept=
	keep_seen "$new"
	printf %s "$kept" >>"$state/$if.before" || fail "cannot write $state/$if.before"
}

keep_seen() { # KEY…: adds to kept what was observed
	for key in $1; do
		look "$obs" "$key" || continue
		case $found in unsupported | unsupported:* | unreadable:* | unread) ;; *) kept=$kept$key=${found%' after a reload'}$nl ;; esac
	done
}

set_keys_of() { # KEY…: sets found to those that apply sets; what a card stores needs a reset, which is a step of its own
	row=
	for key in $1; do
		case $key in nvram_*) ;; *) row="$row $key" ;; esac
	done
	found=$row
}

set_keys() { # sets found to all of them
	more_keys
	set_keys_of "$keys $found"
}

still_there() { # what was read back and is something else now is set by somebody else, too
	see_all
	set_keys
	! differs "$found" || for key in $diff; do
		look "$obs" "$key" || found=missing
		fail "$key was set and is $found again: something else on this host sets it, too (tuned, a NIC operator, a script of its own)"
	done
}

restore() { bring_about; } # what show printed once, but for what has no value and what the host itself decides

leave() { # what it is to hold again is in conf
	if [ -e "$net" ]; then
		! look "$conf" vlan || find_vlan || forget vlan_map # the host has taken the interface away
		[ -z "$conf" ] || restore || :
		vdev=
		drop_made
	fi
	[ "$failed" -ne 0 ] || rm -f "$state/$if.before"
	rmdir "$state" 2>/dev/null || :
	return "$failed"
}

check() {
	[ -n "$source" ] || die "/etc/rocec/host/$if.conf is not there"
	rivals
	see_all
	more_keys
	if differs "$keys $found"; then
		for key in $diff; do
			look "$conf" "$key" && want=$found
			look "$obs" "$key" || found=missing
			printf '%s is %s, not %s\n' "$key" "$found" "$want"
		done
		return 1
	fi
}

show() {
	see_all
	more_keys
	for key in $keys $found; do
		! look "$obs" "$key" || printf '%s=%s\n' "$key" "$found"
	done
}

gids() {
	[ -n "$rdma" ] && [ -d "$ib/ports/$port/gids" ] || return 0
	printf 'at %s %s\n' "$if" "$rdma"
	set +f
	for path in "$ib/ports/$port/gids"/*; do
		slurp "$path" || continue
		gid=$found
		case $gid in *[!0:]*) ;; *) continue ;; esac # an empty slot
		nth=${path##*/}
		slurp "$ib/ports/$port/gid_attrs/types/$nth" || continue
		type=$found
		slurp "$ib/ports/$port/gid_attrs/ndevs/$nth" || found=-
		printf 'gid %s %s %s %s %s %s\n' "$rdma" "$port" "$nth" "$found" "$gid" "$type"
	done
	set -f
	[ ! -e "$root/proc/net/vlan/config" ] || { # for root alone
		while read -r name bar id sep parent rest; do
			[ "$bar$sep" != '||' ] || printf 'vlan %s %s %s\n' "$name" "$id" "$parent"
		done <"$root/proc/net/vlan/config"
	} 2>/dev/null || :
}

verb=${1:-}
if=${2:-}
case $verb,$if,$# in
check,--json,2)
	check_json
	exit
	;;
check,--json,3)
	if=$3
	netdev "$if" || exit 64
	net=$root/sys/class/net/$if
	(json_nic)
	exit
	;;
esac
case $verb in
apply | check) [ $# -eq 2 ] ;;
leave) [ $# -ge 2 ] ;; # lines stand for what it held before, where that is not known
restore) [ $# -ge 3 ] && [ -f "$3" ] ;;
show | gids) [ $# -ge 2 ] ;;
stored | store | reset) [ $# -ge 3 ] && [ -n "${stores:-}" ] ;;
restore_stored) [ $# -eq 3 ] && [ -f "$3" ] && [ -n "${stores:-}" ] ;;
*) false ;;
esac && netdev "$if" && number "$patience" 0 600 || {
	printf '%s\n' 'usage: TOOL apply|check|leave IF' '       TOOL check --json' \
		'       TOOL restore IF FILE [KEY=VALUE]...' \
		'       TOOL show|gids IF [KEY=VALUE]...' >&2
	exit 64
}
shift 2
net=$root/sys/class/net/$if
case $verb in leave | reset | restore_stored) ;; *) [ -e "$net" ] ;; esac || die "there is no such interface"
saved=
case $verb in
restore | restore_stored)
	back=yes
	saved=$1
	shift
	;;
leave)
	back=yes
	[ ! -f "$state/$if.before" ] || saved=$state/$if.before
	;;
esac
if [ -n "$saved" ]; then
	while IFS= read -r line; do
		case $line in bond=none | made=* | mtu=* | vlan_ip=* | vlan_map=missing) ;; *) set -- "$@" "$line" ;; esac
	done <"$saved"
fi
if [ $# -gt 0 ] || [ "$verb" != leave ]; then load "$@"; fi
find_rdma || :
"$verb"
