# ---- the verbs ----

wants() { # KEY…: is any of them in the value file?
	for key; do
		! look "$conf" "$key" || return 0
	done
	return 1
}

vf_keys() { # the virtual functions named by the value file
	row=
	for line in $conf; do
		case $line in vf_roce_*) row="$row ${line%%=*}" ;; esac
	done
	found=$row
}

pick_tool() {
	tool=none
	if dcb -N app show dev "$if" >/dev/null 2>&1; then
		tool=dcb
	elif mlnx_qos -i "$if" >/dev/null 2>&1; then
		tool=mlnx_qos
	fi
}

refuse_twin() { # two interfaces of one PCI function would each undo what the other sets
	here=$(readlink "$net/device") || return 0
	set +f
	for path in "$root"/etc/rocec/host/*.conf; do
		set -f
		other=${path##*/}
		other=${other%.conf}
		[ "$other" != "$if" ] && [ "$other" != '*' ] || continue
		there=$(readlink "$root/sys/class/net/$other/device") || continue
		[ "${there##*/}" != "${here##*/}" ] ||
			die "$other has a value file, too, and is the same PCI function (${here##*/}); leave one of the two in the fabric"
	done
	set -f
}

refuse_lldpad() {
	! systemctl is-active --quiet lldpad.service ||
		die "lldpad is active and would overwrite these settings; run: systemctl disable --now lldpad.socket lldpad.service"
}

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
	driver=$(readlink "$net/device/driver") || driver=none
	[ "${driver##*/}" = mlx5_core ] || die "the driver is ${driver##*/}, and these settings are for mlx5_core"
	refuse_lldpad
	refuse_twin
	if wants pfc; then
		[ "$tool" != none ] || die "neither dcb (iproute2) nor mlnx_qos can read its priorities; install iproute2 5.12 or later"
	fi
	keep_before
	bring_about
	compare_host
	[ "$failed" -ne 0 ] || still_there
	return "$failed"
}

keep_before() { # what the NIC held before the first apply, for leave; a NIC that holds all that is wanted tells nothing of that
	[ ! -e "$state/$if.before" ] || return 0
	if wants roce_mode tos; then
		[ -d "$root/sys/kernel/config/rdma_cm" ] || modprobe rdma_cm || :
		await find_rdma || return 0 # bring_about says so
	fi
	see_all
	vf_keys
	differs "$keys $found" || return 0
	kept=
	look "$conf" vlan && kept=vlan=$found$nl
	vf_keys
	for key in $keys $found; do
		look "$obs" "$key" || continue
		case $found in unsupported | unsupported:* | unreadable:* | unread) ;; *) kept=$kept$key=$found$nl ;; esac
	done
	[ -d "$state" ] || mkdir -p "$state" || return 0
	printf %s "$kept" >"$state/$if.before" || fail "cannot write $state/$if.before"
}

still_there() { # what was read back and is something else now is set by somebody else, too
	see_all
	vf_keys
	! differs "$keys $found" || for key in $diff; do
		look "$obs" "$key" || found=missing
		fail "$key was set and is $found again: something else on this host sets it, too (tuned, a NIC operator, a script of its own)"
	done
}

restore() { # what show printed once, but for what has no value and what the host itself decides
	bring_about
	if look "$conf" dcbx && [ "$found" = firmware ] && ! mlnx_qos -i "$if" -d fw >/dev/null 2>&1; then
		say "DCBX stays with the host: mlnx_qos is not here, and dcb cannot give it back to the firmware"
	fi
	return "$failed"
}

leave() { # RESTORED lines are in conf
	if [ ! -e "$state/$if.before" ]; then
		say 'what it held before rocec is not known; it stays as it is until the host restarts'
		return 0
	fi
	if [ -e "$net" ]; then
		restore || :
		while IFS= read -r line; do
			case $line in
			made=*)
				netdev "${line#made=}" && [ -e "$root/sys/class/net/${line#made=}" ] || continue
				ip link delete "${line#made=}" || fail "the interface ${line#made=} cannot be removed"
				;;
			esac
		done <"$state/$if.before"
	fi
	[ "$failed" -ne 0 ] || rm -f "$state/$if.before"
	return "$failed"
}

bring_about() {
	settle roce see_roce set_roce # first, as a reload of the driver takes all else away
	# Link pause and PFC exclude each other: what goes off goes first.
	look "$conf" pause && [ "$found" = off ] && settle pause see_pause set_pause
	[ -n "$back" ] || settle dcbx see_qos set_dcbx
	settle 'ets_bw ets_tc ets_tsa' see_qos set_ets
	settle "trust $dscp_keys" see_qos set_trust
	settle cable see_qos set_cable
	settle pfc see_qos set_pfc
	look "$conf" pause && [ "$found" = on ] && settle pause see_pause set_pause
	vf_keys
	settle "$found" see_vf_roce set_vf_roce

	if wants roce_mode tos traffic_class traffic_rules ttl; then # and DCB does not wait for them
		[ -d "$root/sys/kernel/config/rdma_cm" ] || modprobe rdma_cm || :
		await find_rdma ||
			fail "no RDMA device appeared in $patience s; is RoCE enabled in the NIC's firmware, and mlx5_ib loaded?"
	fi
	# The kernel's own driver shows the CNP marking together with the RDMA device, so this comes after the wait.
	ecn='cnp_dscp cnp_prio'
	for prio in 0 1 2 3 4 5 6 7; do ecn="$ecn ecn_np_prio$prio ecn_rp_prio$prio"; done
	settle "$ecn" see_ecn set_ecn
	if [ -n "$rdma" ]; then
		settle 'roce_mode tos' see_cma set_cma
		settle 'traffic_class traffic_rules ttl' see_class set_class
	fi
	settle 'vlan_ip vlan_map' see_vlan set_vlan
	return "$failed"
}

check() {
	[ -n "$source" ] || die "/etc/rocec/host/$if.conf is not there"
	refuse_lldpad
	see_all
	vf_keys
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
	vf_keys
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
if [ "$*" = 'check --json' ]; then
	check_json
	exit
fi
case $verb in
apply | check | leave) [ $# -eq 2 ] ;;
restore) [ $# -ge 3 ] && [ -f "$3" ] ;;
show | gids) [ $# -ge 2 ] ;;
*) false ;;
esac && netdev "$if" && number "$patience" 0 600 || {
	printf '%s\n' 'usage: rocec-host apply|check|leave IF' '       rocec-host check --json' \
		'       rocec-host restore IF FILE [KEY=VALUE]...' \
		'       rocec-host show|gids IF [KEY=VALUE]...' >&2
	exit 64
}
shift 2
net=$root/sys/class/net/$if
[ -e "$net" ] || [ "$verb" = leave ] || die "there is no such interface"
saved=
case $verb in
restore)
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
		case $line in bond=none | made=* | mtu=* | vlan_map=missing) ;; *) set -- "$@" "$line" ;; esac
	done <"$saved"
fi
if [ -n "$saved" ] || [ "$verb" != leave ]; then load "$@"; fi
pick_tool
find_rdma || :
"$verb"
