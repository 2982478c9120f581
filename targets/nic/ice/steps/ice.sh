# ---- NICs of ice: their own settings, and the order in which all are set ----

# Every setting, in the order of show. bond and mtu describe the host; they are compared, never written. iwarp is never
# wanted by a value file: it is what a NIC goes back to.
keys='bond dcbx dcqcn
dscp_prio0 dscp_prio1 dscp_prio2 dscp_prio3 dscp_prio4 dscp_prio5 dscp_prio6 dscp_prio7
ets_bw ets_tc ets_tsa iwarp lldp_agent mtu pause pfc roce roce_mode tos trust vlan_ip vlan_map'
dscp_keys='dscp_prio0 dscp_prio1 dscp_prio2 dscp_prio3 dscp_prio4 dscp_prio5 dscp_prio6 dscp_prio7'

listed= # the entries of the driver's DSCP map, DSCP:PRIORITY

accept_own() { # KEY VALUE: is it something rocec writes for these NICs?
	case $1 in
	cable) false ;;
	dcqcn | lldp_agent | roce) [ "$2" = on ] || [ "$2" = off ] ;;
	iwarp) [ "$back$2" = yeson ] || [ "$back$2" = yesoff ] ;;
	*) accept_card "$1" "$2" ;;
	esac
}

more_keys() { found=; }

find_pci() { # sets pci to the PCI function, as 0000:03:00.0
	pci=$(readlink "$net/device") || pci=
	pci=${pci##*/}
}

see_agent() { # the firmware's agent for LLDP and DCBX, which decides all priorities while it runs
	agent='unsupported: the driver has no private flag fw-lldp-agent'
	if ! ask ethtool --show-priv-flags "$if"; then
		agent='unsupported: ethtool does not show the private flag fw-lldp-agent; install ethtool'
	fi
	while read -r one two three _; do
		case "$one $two" in
		'fw-lldp-agent :') agent=$three ;;
		'fw-lldp-agent: '*) agent=$two ;;
		esac
	done <<-END
		$text
	END
	emit lldp_agent "$agent"
}

param() { # NAME: sets found to true, false or nothing: a parameter of devlink, in use now
	found=
	ask devlink dev param show "pci/$pci" name "$1" || :
	case $text in
	*'cmode runtime value true'*) found=true ;;
	*'cmode runtime value false'*) found=false ;;
	esac
}

see_roce() { # by devlink, or by the RDMA device that is there. The driver runs RoCEv2 or iWARP, for all ports of a function
	find_rdma || :
	find_pci
	type=none
	[ -z "$rdma" ] || ! slurp "$ib/node_type" || type=$found
	param enable_iwarp
	case $found in
	true) emit iwarp on ;;
	false) emit iwarp off ;;
	esac
	param enable_roce
	case "$found $type" in
	true*) found=on ;;
	false*) found=off ;;
	*' 1:'*) found=on ;;
	*' 4:'*)
		found='unsupported: the RDMA device runs iWARP, and devlink has no enable_roce (Linux 5.17); load irdma with roce_ena=1'
		;;
	*) found='unsupported: devlink has no enable_roce, and there is no RDMA device; load irdma with roce_ena=1' ;;
	esac
	emit roce "$found"
}

see_dcb() { # [again]: as see_qos. A DSCP without an entry has the driver's own priority, which is its upper three bits
	find_dcb
	[ -n "$obs_qos" ] && [ "${1:-}" != again ] || listed=unread
	so_far=$obs
	obs=
	see_qos "${1:-}"
	seen=$obs
	obs=$so_far
	[ "$listed" != unread ] || listed=$pairs
	if [ "$dcbx" = host ] && ask dcb dcbx show dev "$if"; then
		case " $text " in *' ieee '*) ;; *) emit dcbx 'host without IEEE' ;; esac
	fi
	if [ "$trust" = dscp ]; then
		pairs=
		nth=0
		while [ "$nth" -lt 64 ]; do
			case " $listed " in
			*" $nth:"*)
				word=" $listed "
				word=${word#*" $nth:"}
				pairs="$pairs $nth:${word%% *}"
				;;
			*) pairs="$pairs $nth:$((nth / 8))" ;;
			esac
			nth=$((nth + 1))
		done
		spell_map
	fi
	obs=$obs$seen # the first line of a key counts
}

# The switch for DCQCN belongs to the driver that Intel publishes. Its directory in configfs is a window, as that of rdma_cm:
# as long as it is there the module cannot be unloaded.
open_irdma() {
	opened=
	irdma=$root/sys/kernel/config/irdma/$rdma
	[ -n "$rdma" ] && [ -d "$root/sys/kernel/config/irdma" ] || return 1
	[ -d "$irdma" ] || { mkdir "$irdma" 2>/dev/null && opened=1; } || [ -d "$irdma" ]
}

see_dcqcn() {
	if [ -z "$rdma" ]; then
		found='unsupported: the interface has no RDMA device; load irdma'
	elif [ -d "$root/sys/kernel/config/irdma" ]; then
		for _ in 1 2 3; do # again where the other port of a bond has removed the folder meanwhile
			found="unreadable: the folder of $rdma in the configfs of irdma cannot be made"
			open_irdma || break
			peek "$irdma/roce_dcqcn_enable" 'the driver irdma has no roce_dcqcn_enable' || :
			[ ! -d "$irdma" ] || break
		done
		case $found in 1) found=on ;; 0) found=off ;; esac
		[ -z "$opened" ] || rmdir "$irdma" 2>/dev/null || :
	else
		found='unsupported: the driver irdma has no switch for DCQCN; that of Intel has, in configfs'
	fi
	emit dcqcn "$found"
}

set_dcqcn() {
	open_irdma || mkdir "$irdma" || return 1 # for its words
	look "$conf" dcqcn
	case $found in on) bit=1 ;; *) bit=0 ;; esac
	status=0
	put "$irdma/roce_dcqcn_enable" "$bit" || status=1
	rmdir "$irdma" 2>/dev/null || :
	return "$status"
}

see_all() {
	obs=
	see_host
	see_pause
	see_agent
	see_dcb again
	see_roce
	see_dcqcn
	see_cma
	see_vlan
}

set_agent() {
	look "$conf" lldp_agent
	ethtool --set-priv-flags "$if" fw-lldp-agent "$found"
}

set_param() { devlink dev param set "pci/$pci" name "$1" value "$2" cmode runtime; } # NAME VALUE

set_roce() { # RoCEv2 and iWARP exclude each other: what goes off goes first
	look "$conf" roce && roce=$found || roce=
	look "$conf" iwarp && iwarp=$found || iwarp=
	if [ "$roce" = on ]; then
		param enable_iwarp
		[ "$found" != true ] || set_param enable_iwarp false || return 1
		set_param enable_roce true || return 1
	fi
	[ "$roce" != off ] || set_param enable_roce false || return 1
	[ "$iwarp" != on ] || set_param enable_iwarp true
}

# The first entry switches the port to DSCP and its classes to the driver's own, and without the last one it goes back to PCP.
# A DSCP that has an entry takes no other: it is deleted first. One that stays deleted would get the lower three bits as its
# priority, so each deleted one comes back.
set_map() {
	look "$conf" trust
	if [ "$found" = pcp ]; then
		change_app del "$if" dscp-prio $listed
		return
	fi
	fresh=
	stale=
	set --
	for prio in 0 1 2 3 4 5 6 7; do
		look "$conf" "dscp_prio$prio" && codepoints "$found" || return 1
		for entry in $found; do
			dscp=${entry%%-*}
			while [ "$dscp" -le "${entry#*-}" ]; do
				case " $listed " in
				*" $dscp:$prio "*) ;;
				*" $dscp:"*)
					word=" $listed "
					word=${word#*" $dscp:"}
					stale="$stale $dscp:${word%% *}"
					set -- "$@" "$dscp:$prio"
					;;
				*) [ "$prio" -eq $((dscp / 8)) ] || fresh="$fresh $dscp:$prio" ;;
				esac
				dscp=$((dscp + 1))
			done
		done
	done
	[ -n "$listed$fresh" ] || fresh=0:0
	[ -z "$fresh" ] || change_app add "$if" dscp-prio $fresh || return 1
	for word in $stale; do
		change_app del "$if" dscp-prio "$word" || return 1
		if ! change_app add "$if" dscp-prio "$1"; then
			dcb app add dev "$if" dscp-prio "$word"
			return 1
		fi
		shift
	done
}

rivals() { refuse_lldpad; }

ready() {
	refuse_driver ice
	refuse_twin
	wants pfc || return 0
	refuse_no_dcb 5.15
	refuse_few
}

refuse_few() { # with DSCP, a priority has the class with its number
	look "$conf" trust && [ "$found" = dscp ] || return 0
	ask dcb ets show dev "$if" ets-cap || return 0
	case " $text " in
	*' ets-cap 8 '*) ;;
	*' ets-cap '[1-7]' '*)
		word=${text#*ets-cap }
		die "the port has ${word%% *} traffic classes, as on cards with more than four ports; a DSCP map needs 8"
		;;
	esac
}

come_up() { # where RoCE is off nothing comes
	obs=
	see_roce
	look "$obs" roce
	[ "$found" = on ] && wait_card
}

firmware_again() { # whether the NIC goes back to the agent of its firmware, which then decides the classes and PFC
	[ -n "$back" ] && look "$conf" lldp_agent && [ "$found" = on ] || return 1
	for key in ets_bw ets_tc ets_tsa pfc; do forget "$key"; done
	conf=${conf}pfc=0,0,0,0,0,0,0,0$nl
}

tell_bond() { # why the driver refuses: the answer of the kernel is only that an argument is wrong
	[ "$failed" = "$was" ] || [ ! -e "$net/master" ] ||
		say "the driver changes no priorities of a port in a bond; take ${if} out of the bond, apply, and put it back"
}

bring_about() {
	settle 'roce iwarp' see_roce set_roce
	agent_back=
	! firmware_again || agent_back=yes
	if [ -z "$agent_back" ]; then # no priority can be set while the firmware's agent runs
		settle lldp_agent see_agent set_agent
		obs_qos=
	fi
	was=$failed
	# Link pause and PFC exclude each other: what goes off goes first.
	look "$conf" pause && [ "$found" = off ] && settle pause see_pause set_pause
	[ -n "$back" ] || settle dcbx see_dcb set_dcbx
	settle "trust $dscp_keys" see_dcb set_map # first, as it decides the classes
	obs_qos=
	settle 'ets_bw ets_tc ets_tsa' see_dcb set_ets
	settle pfc see_dcb set_pfc
	tell_bond
	look "$conf" pause && [ "$found" = on ] && settle pause see_pause set_pause
	[ -z "$agent_back" ] || settle lldp_agent see_agent set_agent # it does not start on a port that uses DSCP

	if wants roce_mode tos; then # a device with iWARP is there already
		come_up || [ -n "$rdma" ] || fail "no RDMA device appeared in $patience s; is irdma loaded, and RoCE on?"
	fi
	settle dcqcn see_dcqcn set_dcqcn # the device is there now, or never
	[ -z "$rdma" ] || settle 'roce_mode tos' see_cma set_cma
	settle 'vlan_ip vlan_map' see_vlan set_vlan
	return "$failed"
}
