# ---- RDMA-CM's defaults, VLANs, and what the host's network configuration decides ----

# The defaults of RDMA-CM lie in its object of the device; the directory in configfs is a window to them, and as long as it
# is there the module cannot be unloaded. So it is made, looked through, and removed.
open_cma() {
	made=
	[ -d "$root/sys/kernel/config/rdma_cm" ] || return 1
	[ -d "$cma" ] || { mkdir "$cma" 2>/dev/null && made=1; } || [ -d "$cma" ]
}

close_cma() { [ -z "$made" ] || rmdir "$cma" 2>/dev/null || :; }

see_cma() { # "unread" while the module or the device is not there
	mode=unread
	tos=unread
	if [ -n "$rdma" ] && open_cma; then
		peek "$cma/ports/$port/default_roce_mode" 'rdma_cm does not tell it' || :
		mode=$found
		[ "$mode" != 'RoCE v1' ] || mode='IB/RoCE v1' # how some releases spell it when read
		peek "$cma/ports/$port/default_roce_tos" 'the kernel has no default type of service; use 4.11 or later' || :
		tos=$found
		close_cma
	fi
	emit roce_mode "$mode"
	emit tos "$tos"
}

set_cma() { # again where the other port of a bond, which is set at the same time, has removed the directory meanwhile
	for _ in 1 2 3; do
		status=0
		open_cma || mkdir "$cma" || return 1 # for its words
		for key in $diff; do
			look "$conf" "$key"
			case $key in
			roce_mode) put "$cma/ports/$port/default_roce_mode" "$found" ;;
			tos) put "$cma/ports/$port/default_roce_tos" "$found" ;;
			esac || status=1
		done
		[ -d "$cma" ] && break
	done
	rmdir "$cma" 2>/dev/null || : # also one that an older release has left
	return "$status"
}

after() { # SECTION TEXT: the N:VALUE words that follow the word SECTION
	found=
	inside=
	for word in $2; do
		case $word in
		"$1") inside=1 ;;
		[0-9]*:*) [ -z "$inside" ] || found="$found $word" ;;
		*) inside= ;;
		esac
	done
}

find_vlan() { # sets vdev, the interface of the VLAN on top of the port or its bond
	look "$conf" bond && lower=$found || lower=$if
	look "$conf" vlan || return 1
	vlan=$found
	vdev=$lower.$vlan
	[ ! -e "$root/sys/class/net/$vdev" ] || return 0
	vdev=
	[ -e "$root/proc/net/vlan/config" ] || return 1
	while read -r name bar1 id bar2 parent _; do
		[ "$bar1$id$bar2$parent" != "|$vlan|$lower" ] || vdev=$name
	done <"$root/proc/net/vlan/config"
	[ -n "$vdev" ]
}

no_ip='unreadable: ip does not tell it; install iproute2'

see_vlan_ip() { # whether the interface of the VLAN has the address wanted; one that is the host's own may have others
	look "$conf" vlan_ip || return 0
	want=$found
	ask ip -o address show dev "$vdev" || want=$no_ip
	case "$want $text " in
	"$no_ip"* | *" $want "*) ;;
	*) want=missing ;;
	esac
	if made "$vdev"; then
		after_inet=
		for word in $text; do
			case $after_inet$word in
			inet | inet6) after_inet=- ;;
			-fe80:* | -"$want") after_inet= ;;
			-*) others="$others $word" after_inet= ;;
			esac
		done
	fi
	emit vlan_ip "$want${others:+ beside$others}"
}

made() { # INTERFACE: whether rocec has made it
	[ -f "$state/$if.before" ] || return 1
	while IFS= read -r line; do
		[ "$line" != "made=$1" ] || return 0
	done <"$state/$if.before"
	return 1
}

drop_made() { # takes away what rocec has made, but for vdev
	[ -f "$state/$if.before" ] || return 0
	while IFS= read -r line; do
		case $line in
		made="$vdev") ;;
		made=*)
			netdev "${line#made=}" && [ -e "$root/sys/class/net/${line#made=}" ] || continue
			ip link delete "${line#made=}" || fail "the interface ${line#made=} cannot be removed"
			;;
		esac
	done <"$state/$if.before"
}

see_vlan() {
	look "$conf" vlan || return 0
	others= # addresses beside the one wanted, on an interface that rocec has made
	if ! find_vlan; then
		emit vlan_map missing
		! look "$conf" vlan_ip || emit vlan_ip missing
		return
	fi
	see_vlan_ip
	if ! ask ip -d link show dev "$vdev"; then
		emit vlan_map "$no_ip"
		return
	fi
	after '{' "${text#*egress-qos-map}"
	case $text in *egress-qos-map*) egress=" $found " ;; *) egress=' ' ;; esac
	row=
	for prio in 0 2 4 6; do
		case $egress in
		*" $prio:"*)
			word=${egress#*" $prio:"}
			row=$row,$prio:${word%% *}
			;;
		*) row=$row,$prio:0 ;;
		esac
	done
	emit vlan_map "${row#,}"
}

set_vlan() {
	if look "$conf" create_vlan; then
		make_vlan || return 1
	elif ! await find_vlan; then
		printf 'no interface of VLAN %s on %s; make it in the network configuration of this host\n' "$vlan" "$lower"
		return 1
	fi
	look "$conf" vlan_map
	words "$found" ,
	ip link set dev "$vdev" type vlan egress-qos-map $found
}

make_vlan() { # and notes that it is ours to take away
	look "$conf" bond && lower=$found || lower=$if
	look "$conf" vlan
	vlan=$found
	if ! find_vlan; then
		[ -d "$root/sys/module/8021q" ] || modprobe 8021q || :
		ip link add link "$lower" name "$lower.$vlan" type vlan id "$vlan" || return 1
		[ ! -f "$state/$if.before" ] || made "$lower.$vlan" || printf 'made=%s\n' "$lower.$vlan" >>"$state/$if.before" || return 1
		await find_vlan || return 1
	fi
	ip link set dev "$vdev" up || return 1
	look "$conf" vlan_ip || return 0
	ip address replace "$found" dev "$vdev" || return 1
	for word in $others; do ip address delete "$word" dev "$vdev" || return 1; done
}

see_host() { # what the host's own network configuration decides
	peek "$net/mtu" 'the interface tells none' || :
	emit mtu "$found"
	master=$(readlink "$net/master") || master=none
	emit bond "${master##*/}"
}
