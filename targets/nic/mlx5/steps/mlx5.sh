# ---- NICs of mlx5_core: their own settings, and the order in which all are set ----

# Every setting, in the order of show. bond and mtu describe the host; they are compared, never written.
keys='bond cable cnp_dscp cnp_prio dcbx
dscp_prio0 dscp_prio1 dscp_prio2 dscp_prio3 dscp_prio4 dscp_prio5 dscp_prio6 dscp_prio7
ecn_np_prio0 ecn_np_prio1 ecn_np_prio2 ecn_np_prio3 ecn_np_prio4 ecn_np_prio5 ecn_np_prio6 ecn_np_prio7
ecn_rp_prio0 ecn_rp_prio1 ecn_rp_prio2 ecn_rp_prio3 ecn_rp_prio4 ecn_rp_prio5 ecn_rp_prio6 ecn_rp_prio7
ets_bw ets_tc ets_tsa mtu pause pfc roce roce_mode tos traffic_class traffic_rules trust ttl vlan_ip vlan_map'
dscp_keys='dscp_prio0 dscp_prio1 dscp_prio2 dscp_prio3 dscp_prio4 dscp_prio5 dscp_prio6 dscp_prio7'

accept_own() { # KEY VALUE: is it something rocec writes for these NICs alone?
	case $1 in
	cnp_dscp) number "$2" 0 63 ;;
	cnp_prio) number "$2" 0 7 || { [ -n "$back" ] && [ "$2" = "mode ${2#mode }" ] && number "${2#mode }" 1 9; } ;;
	ecn_np_prio[0-7] | ecn_rp_prio[0-7] | roce) [ "$2" = on ] || [ "$2" = off ] ;;
	traffic_class) [ "$2" = off ] || number "$2" 0 255 ;;
	traffic_rules) rules "$2" ;;
	ttl) number "$2" 0 255 ;;
	dcqcn_*) parameter_name "${1#dcqcn_}" && whole "$2" ;;
	nvram_*) parameter_name "${1#nvram_}" && whole "${2%%; *}" && { [ -n "$back" ] || whole "$2"; } ;;
	stall_prevention) [ "$2" = auto ] || [ "$2" = off ] || number "$2" 80 8000 ;;
	vf_roce_*) number "${1#vf_roce_}" 0 4095 && { [ "$2" = on ] || [ "$2" = off ]; } ;;
	*) accept_card "$1" "$2" ;;
	esac
}

on_off() { # FILE KEY REASON: emits a 0/1 file as on or off
	peek "$1" "$3" || :
	case $found in 1) found=on ;; 0) found=off ;; esac
	emit "$2" "$found"
}

rules() { # LIST: "none", or rules "src_ip=A,dst_ip=B/N,tclass=T" parted by spaces
	[ "$1" != none ] || return 0
	for rule in $1; do
		case $rule in
		*[!0-9a-f:./_=,ipdrstcl]*) return 1 ;;
		src_ip=*,tclass=* | dst_ip=*,tclass=* | src_ip6=*,tclass=* | dst_ip6=*,tclass=*) ;;
		*) return 1 ;;
		esac
		number "${rule##*,tclass=}" 0 255 || return 1
	done
}

parameter_name() { # NAME: fit to be a part of a path, and a word of a tool's arguments
	case $1 in '' | *[!A-Za-z0-9_]*) return 1 ;; esac
}

whole() { # TEXT: a number of up to 32 bits
	case $1 in '' | *[!0-9]* | ???????????*) return 1 ;; esac
}

stated() { # PATTERN: the keys of the value file that begin so
	row=
	for line in $conf; do
		case $line in "$1"*=*) row="$row ${line%%=*}" ;; esac
	done
	found=$row
}

more_keys() { # the virtual functions and the parameters that the value file names; it never sets those that the card stores
	all=
	for kind in dcqcn_ nvram_ stall_prevention vf_roce_; do
		stated "$kind"
		all=$all$found
	done
	found=$all
}

find_pci() { # sets pci to the PCI function, as 0000:03:00.0
	pci=$(readlink "$net/device") || pci=
	pci=${pci##*/}
}

see_roce() { # by the vendor's file, by devlink, or by the RDMA device that is there; a switch works when the driver starts anew
	find_rdma || :
	find_pci
	text=
	if [ -e "$net/device/roce_enable" ]; then
		peek "$net/device/roce_enable" '' || :
		text="value $found"
	else
		ask devlink dev param show "pci/$pci" name enable_roce || :
	fi
	case "$text${rdma:+ device}" in
	*'value unreadable'*) ;;
	*'value true'* | *'value 1'*) found=on ;;
	*'value false'*device | *'value 0'*device) found='off after a reload' ;;
	*'value false'* | *'value 0'*) found=off ;;
	*device) found=on ;;
	*) found='unsupported: nothing here switches RoCE; install iproute2 (devlink), or use a kernel of 5.6 or later' ;;
	esac
	emit roce "$found"
}

see_vf_roce() { # only the virtual functions the value file names
	for line in $conf; do
		case $line in vf_roce_*) ;; *) continue ;; esac
		vf=${line%%=*}
		vf=${vf#vf_roce_}
		if [ -e "$net/settings/vf_roce" ]; then
			vf_roce=missing
			{ while read -r _ one two _; do
				[ "$one" = "$vf:" ] || continue
				[ "$two" = 1 ] && vf_roce=on || vf_roce=off
			done <"$net/settings/vf_roce"; } 2>/dev/null || vf_roce='unreadable: settings/vf_roce cannot be read'
		else
			find_vf "$vf"
		fi
		emit "vf_roce_$vf" "$vf_roce"
	done
}

find_vf() { # NUMBER: sets handle to the devlink port of a virtual function, and vf_roce to its RoCE
	find_pci
	handle=
	vf_roce='unsupported: neither the driver (MLNX_OFED) nor devlink has a switch for it; devlink needs the switchdev mode'
	here=
	ask devlink port show || :
	while read -r one rest; do
		case $one in
		pci/*:)
			here=
			case "$one $rest " in
			"pci/$pci/"*" flavour pcivf "*" vfnum $1 "*)
				here=1
				handle=${one%:}
				;;
			esac
			;;
		*)
			case "${here:-0} $one $rest " in
			1*' roce enable '*) vf_roce=on ;;
			1*' roce disable '*) vf_roce=off ;;
			esac
			;;
		esac
	done <<-END
		$text
	END
}

see_ecn() {
	for prio in 0 1 2 3 4 5 6 7; do
		on_off "$net/ecn/roce_np/enable/$prio" "ecn_np_prio$prio" 'the driver has no switch for it'
		on_off "$net/ecn/roce_rp/enable/$prio" "ecn_rp_prio$prio" 'the driver has no switch for it'
	done
	# The vendor's driver has the CNP marking in sysfs, the kernel's own driver in debugfs. The mode is in debugfs alone.
	find_pci
	params=$root/sys/kernel/debug/mlx5/$pci/cc_params
	cnp_mode=$params/np_cnp_prio_mode
	cnp_dscp=$net/ecn/roce_np/cnp_dscp
	cnp_prio=$net/ecn/roce_np/cnp_802p_prio
	[ -e "$cnp_dscp" ] || cnp_dscp=$params/np_cnp_dscp cnp_prio=$params/np_cnp_prio
	see_cnp cnp_dscp "$cnp_dscp" CNP_DSCP
	see_cnp cnp_prio "$cnp_prio" CNP_802P_PRIO
}

see_cnp() { # KEY FILE NAME: a marking of CNPs; where the driver does not show it, what the firmware starts with (NAME)
	if ! peek "$2" 'the driver does not show it: mount debugfs, or install mstflint, which reads it from the firmware'; then
		why=$found
		firmware "$3"
		found=${found:-$why}
	elif [ "$1" = cnp_prio ] && why=$found; then # its number counts in mode 0 alone, which a write of the number brings about
		slurp "$cnp_mode" && number "$found" 1 9 && found="mode $found" || found=$why
	fi
	emit "$1" "$found"
}

find_parameter() { # KEY: sets file to a parameter of DCQCN: of the vendor's driver, or of the kernel's own in debugfs
	find_pci
	name=${1#dcqcn_}
	case $name in
	min_time_between_cnps) side=np file=np_$name ;;
	clamp_tgt_rate_after_time_inc) side=rp file=rp_clamp_tgt_rate_ati ;;
	*) side=rp file=rp_${name#rpg_} ;;
	esac
	file=$root/sys/kernel/debug/mlx5/$pci/cc_params/$file
	[ ! -e "$net/ecn/roce_$side/$name" ] || file=$net/ecn/roce_$side/$name
}

see_dcqcn() {
	stated dcqcn_
	for key in $found; do
		find_parameter "$key"
		peek "$file" 'the driver does not show it: mount debugfs, or install MLNX_OFED' || :
		emit "$key" "$found"
	done
}

see_stall() { # the driver keeps "auto" as 100 ms
	look "$conf" stall_prevention || return 0
	want=$found
	ask ethtool --get-tunable "$if" pfc-prevention-tout || :
	case $want,$text in
	auto,'pfc-prevention-tout: 100') found=auto ;;
	*,'pfc-prevention-tout: 0') found=off ;;
	*,'pfc-prevention-tout: '*) found=${text##* } ;;
	*) found='unsupported: ethtool does not tell it; install a newer ethtool, or newer firmware' ;;
	esac
	emit stall_prevention "$found"
}

firmware() { # NAME: the value of a parameter of the firmware's configuration that is in use; empty: no tool tells it
	found=
	number "${pci##*.}" 0 7 || return 0
	name=$1_P$((${pci##*.} + 1)) # one function is one port
	text=
	for reader in mstconfig mlxconfig; do
		[ -n "$text" ] || ask "$reader" -d "$pci" -e query "$name" || :
	done
	while read -r one two three rest; do
		case $one in '*') one=$two three=${rest%% *} ;; esac
		[ "$one" != "$name" ] || ! number "$three" 0 255 || found=$three
	done <<-END
		$text
	END
}

see_class() { # the traffic class forced on RC queue pairs, the exceptions by address, and the TTL
	class='unsupported: the driver has no traffic_class; MLNX_OFED has'
	exceptions=$class
	ttl='unsupported: the driver has no ttl; install MLNX_OFED'
	if [ -n "$rdma" ] && [ -e "$ib/tc/$port/traffic_class" ]; then
		class=off
		exceptions=
		shut=
		{ while read -r line; do
			case $line in
			'Global tclass='*) class=${line#*=} ;;
			*,tclass=*) exceptions=$exceptions$line$nl ;;
			esac
		done <"$ib/tc/$port/traffic_class"; } 2>/dev/null || shut='unreadable: traffic_class cannot be read'
		[ -z "$exceptions" ] || exceptions=$(printf %s "$exceptions" | LC_ALL=C sort)
		words "$exceptions" "$nl"
		class=${shut:-$class}
		exceptions=${shut:-${found:-none}}
	fi
	if [ -n "$rdma" ]; then
		find_ttl
		peek "$ttl_file" "${ttl#*: }" || :
		ttl=$found
	fi
	emit traffic_class "$class"
	emit traffic_rules "$exceptions"
	emit ttl "$ttl"
}

find_ttl() { # the driver has it under ttl, its manual under tc
	ttl_file=$ib/ttl/$port/ttl
	[ -e "$ttl_file" ] || ttl_file=$ib/tc/$port/ttl
}

see_all() {
	obs=
	see_host
	see_pause
	see_qos again
	see_roce
	see_vf_roce
	see_ecn
	see_dcqcn
	see_stall
	see_nvram
	see_cma
	see_class
	see_vlan
}

bit() { # KEY: 1 where the value file says on
	look "$conf" "$1"
	[ "$found" = on ] && bit=1 || bit=0
}

set_roce() {
	bit roce
	if [ -e "$net/device/roce_enable" ]; then
		put "$net/device/roce_enable" "$bit" || return 1
	else
		case $bit in 1) found=true ;; *) found=false ;; esac
		devlink dev param set "pci/$pci" name enable_roce value "$found" cmode driverinit || return 1
	fi
	find_rdma || :
	case $bit${rdma:+ device} in 0 | '1 device') return ;; esac
	# The interface goes and comes back, and systemd ends this apply with it; the one that follows finds the value set.
	devlink dev reload "pci/$pci" || return 1
	await back_again
}

back_again() { [ -e "$net" ]; }

set_vf_roce() {
	for key in $diff; do
		bit "$key"
		if [ -e "$net/settings/vf_roce" ]; then
			put "$net/settings/vf_roce" "${key#vf_roce_} $bit" || return 1
			continue
		fi
		find_vf "${key#vf_roce_}"
		case $bit in 1) found=enable ;; *) found=disable ;; esac
		devlink port function set "$handle" roce "$found" || return 1
	done
}

set_ecn() {
	for key in $diff; do
		bit "$key"
		case $key=$found in
		ecn_np_prio*) put "$net/ecn/roce_np/enable/${key#ecn_np_prio}" "$bit" ;;
		ecn_rp_prio*) put "$net/ecn/roce_rp/enable/${key#ecn_rp_prio}" "$bit" ;;
		cnp_dscp=*) put "$cnp_dscp" "$found" ;;
		cnp_prio=mode*) put "$cnp_mode" "${found#mode }" ;;
		cnp_prio=*) put "$cnp_prio" "$found" ;;
		esac || return 1
	done
}

set_dcqcn() {
	for key in $diff; do
		find_parameter "$key"
		look "$conf" "$key"
		put "$file" "$found" || return 1
	done
}

set_stall() {
	look "$conf" stall_prevention
	case $found in auto) found=65535 ;; off) found=0 ;; esac
	ethtool --set-tunable "$if" pfc-prevention-tout "$found"
}

set_class() {
	file=$ib/tc/$port/traffic_class
	for key in $diff; do
		look "$conf" "$key"
		case $key in
		traffic_class)
			[ "$found" != off ] || found=-1
			put "$file" "$found"
			;;
		traffic_rules)
			wanted=${found#none}
			for rule in ${exceptions#none}; do
				case " $wanted " in *" $rule "*) continue ;; esac
				put "$file" "tclass=-1,${rule%,tclass=*}" || return 1
			done
			for rule in $wanted; do
				case " $exceptions " in *" $rule "*) continue ;; esac
				put "$file" "tclass=${rule##*,tclass=},${rule%,tclass=*}" || return 1
			done
			;;
		ttl) put "$ttl_file" "$found" ;;
		esac || return 1
	done
}

rivals() { refuse_lldpad; }

ready() {
	refuse_driver mlx5_core
	refuse_twin
	refuse_blind
}

come_up() { # where RoCE is off nothing comes
	obs=
	see_roce
	look "$obs" roce
	[ "$found" != off ] && wait_card
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
	stated vf_roce_
	settle "$found" see_vf_roce set_vf_roce
	settle stall_prevention see_stall set_stall

	if wants roce_mode tos traffic_class traffic_rules ttl; then # and DCB does not wait for them
		come_up ||
			fail "no RDMA device appeared in $patience s; is RoCE enabled in the NIC's firmware, and mlx5_ib loaded?"
	fi
	# The kernel's own driver shows the CNP marking together with the RDMA device, so this comes after the wait.
	ecn='cnp_dscp cnp_prio'
	for prio in 0 1 2 3 4 5 6 7; do ecn="$ecn ecn_np_prio$prio ecn_rp_prio$prio"; done
	settle "$ecn" see_ecn set_ecn
	stated dcqcn_
	settle "$found" see_dcqcn set_dcqcn
	if [ -n "$rdma" ]; then
		settle 'roce_mode tos' see_cma set_cma
		settle 'traffic_class traffic_rules ttl' see_class set_class
	fi
	settle 'vlan_ip vlan_map' see_vlan set_vlan
	if [ -z "$back" ]; then compare_stored; else free_dcbx; fi
	return "$failed"
}
