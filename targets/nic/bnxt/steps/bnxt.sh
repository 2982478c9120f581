# ---- NICs of bnxt_en: their own settings, and the order in which all are set ----

# Every setting, in the order of show. bond and mtu describe the host; they are compared, never written.
dscp_keys='dscp_prio0 dscp_prio1 dscp_prio2 dscp_prio3 dscp_prio4 dscp_prio5 dscp_prio6 dscp_prio7'
dcqcn_keys='dcqcn_g dcqcn_inact_th dcqcn_init_cr dcqcn_init_tr' # parameters that a value file has only if the fabric states them
# In the order of writing.
cc_keys="prio_vlan ecn_marking ecn_enable cc_mode cnp_prio roce_prio roce_dscp cnp_dscp $dcqcn_keys"
keys="bond cc_mode cnp_dscp cnp_prio dcbx $dscp_keys ecn_enable ecn_marking ets_bw ets_tc ets_tsa mtu pause pfc
prio_vlan roce_dscp roce_mode roce_prio roce_udp tos traffic_class trust vlan_ip vlan_map"

managed='the agent of the NIC firmware decides (LLDP or DCBX), and the driver then refuses every setting; switch the agent off'
managed="$managed in NVRAM (options 155, 255, 269 and 270), by niccli or bnxtnvm, and restart the host"
vendor="only Broadcom's driver has a documented switch for it (bnxt_re with configfs); install that driver"

accept_own() { # KEY VALUE: is it something rocec writes for these NICs alone?
	case $1 in
	cc_mode) number "$2" 0 1 ;;
	cnp_dscp | roce_dscp) number "$2" 0 63 || [ "$back$2" = yesnone ] ;;
	cnp_prio | roce_prio) number "$2" 0 7 || [ "$back$2" = yesnone ] ;;
	dcqcn_g) number "$2" 0 255 ;;
	dcqcn_inact_th | dcqcn_init_cr | dcqcn_init_tr) number "$2" 0 65535 ;;
	ecn_marking) number "$2" 0 2 ;;
	ecn_enable | prio_vlan) [ "$2" = on ] || [ "$2" = off ] ;;
	roce_udp) number "$2" 0 7 || [ "$2" = none ] || { [ -n "$back" ] && priorities "$2"; } ;;
	traffic_class) [ "$2" = off ] || number "$2" 0 255 ;;
	cable) false ;;
	*) accept_card "$1" "$2" ;;
	esac
}

priorities() { # LIST: priorities parted by commas
	case $1 in '' | *[!0-7,]* | ,* | *, | *,,* | *[0-7][0-7]*) return 1 ;; esac
}

more_keys() { # the parameters that the value file names
	row=
	for key in $dcqcn_keys; do
		! look "$conf" "$key" || row="$row $key"
	done
	found=$row
}

own_udp=   # what the last read of the APP table gave for the UDP port of RoCEv2
own_agent= # yes: the agent of the firmware decides

see_ports() { # [again]: what see_qos sees, the agent of the firmware, and the priorities of RoCEv2 by its UDP port
	find_dcb
	[ -n "$obs_qos" ] && [ "${1:-}" != again ] || own_udp=
	see_qos "$@"
	if [ -z "$own_udp" ]; then
		read_udp
		own_agent=
		[ "$tool" != dcb ] || ! ask dcb dcbx show dev "$if" || case " $text " in *' lld-managed '*) own_agent=yes ;; esac
	fi
	[ -z "$own_agent" ] || obs="dcbx=unsupported: $managed$nl$obs" # the first line of a key counts
	emit roce_udp "$own_udp"
}

read_udp() {
	own_udp=$untold
	[ "$tool" = dcb ] && ask dcb -N app show dev "$if" || return 0
	after dgram-port-prio "$text"
	row=
	for word in $found; do
		case $word in 4791:[0-7]) row=$row,${word#*:} ;; esac
	done
	own_udp=${row#,}
	[ -n "$own_udp" ] || own_udp=none
}

# Broadcom's driver has congestion control in configfs: files for what is to be, and apply, which uses them and prints what
# is in the NIC. The folder of a device is a window, like that of rdma_cm, and the script removes what it has made.
open_cc() { # sets cc
	cc_made=
	cc_top=$root/sys/kernel/config/bnxt_re/$rdma
	cc=$cc_top/ports/$port/cc
	has_cc || return 1
	[ -d "$cc_top" ] || { mkdir "$cc_top" 2>/dev/null && cc_made=1; } || [ -d "$cc_top" ]
}

has_cc() { [ -d "$root/sys/kernel/config/bnxt_re" ]; }

close_cc() { [ -z "$cc_made" ] || rmdir "$cc_top" 2>/dev/null || :; }

see_cc() { # again where the other port of a bond has removed the folder meanwhile
	if [ -z "$rdma" ]; then
		all_cc 'unsupported: the interface has no RDMA device; load bnxt_re'
	elif has_cc; then
		for _ in 1 2 3; do
			all_cc "unreadable: the folder of $rdma in the configfs of bnxt_re cannot be made"
			open_cc || break
			read_applied
			[ ! -d "$cc_top" ] || break
		done
		close_cc
	else
		all_cc "unsupported: $vendor"
		read_debug
	fi
	emit cc_mode "$cc_mode"
	emit cnp_dscp "$cnp_dscp"
	emit cnp_prio "$cnp_prio"
	emit ecn_enable "$ecn_enable"
	emit ecn_marking "$ecn_marking"
	emit prio_vlan "$prio_vlan"
	emit roce_dscp "$roce_dscp"
	emit roce_prio "$roce_prio"
	emit dcqcn_g "$dcqcn_g"
	emit dcqcn_inact_th "$dcqcn_inact_th"
	emit dcqcn_init_cr "$dcqcn_init_cr"
	emit dcqcn_init_tr "$dcqcn_init_tr"
}

all_cc() { # VALUE: of all parameters
	cc_mode=$1 cnp_dscp=$1 cnp_prio=$1 ecn_enable=$1 ecn_marking=$1
	prio_vlan=$1 roce_dscp=$1 roce_prio=$1
	dcqcn_g=$1 dcqcn_inact_th=$1 dcqcn_init_cr=$1 dcqcn_init_tr=$1
}

read_applied() { # the lines "TEXT (NAME) : VALUE" of apply; the second port of a bond has its own lines for the marks
	all_cc 'unreadable: the file apply in configfs cannot be read, or does not show it'
	ask_file "$cc/apply" || return 0
	case $text in *ecn_enable*) ;; *) return 0 ;; esac
	# The NIC shows these marks only where they have an effect.
	cnp_dscp=none cnp_prio=none roce_dscp=none roce_prio=none
	while read -r line; do
		is=${line##*: }
		of=
		case $line in slave*) of=slave ;; esac
		case $of$line in
		*ecn_enable*) switch && ecn_enable=$found ;;
		*'VLAN 0'*) switch && prio_vlan=$found ;;
		*ecn_marking*)
			case $is in Not-ECT) ecn_marking=0 ;; 'ECT(1)') ecn_marking=1 ;; 'ECT(0)') ecn_marking=2 ;; esac
			;;
		*cc_mode*) case $is in DCQCN-D) cc_mode=0 ;; DCQCN-P | TCP) cc_mode=1 ;; esac ;;
		*cnp_dscp*) both "$cnp_dscp" 63 && cnp_dscp=$found ;;
		*cnp_prio*) both "$cnp_prio" 7 && cnp_prio=$found ;;
		*roce_dscp*) both "$roce_dscp" 63 && roce_dscp=$found ;;
		*roce_prio*) both "$roce_prio" 7 && roce_prio=$found ;;
		*'weight(g)'*) figure && dcqcn_g=$found ;;
		*'(inact_th)'*) figure && dcqcn_inact_th=$found ;;
		*'(init_cr)'*) figure && dcqcn_init_cr=$found ;;
		*'(init_tr)'*) figure && dcqcn_init_tr=$found ;;
		esac
	done <<-END
		$text
	END
}

switch() { # sets found to on or off, by the word in is
	case $is in Enabled) found=on ;; Disabled) found=off ;; *) return 1 ;; esac
}

figure() { # sets found to the number in is, which is decimal or hexadecimal and may have a unit behind it
	is=${is%% *}
	case $is in
	0x | 0x?????* | 0x*[!0-9a-f]*) return 1 ;;
	0x*) found=$((is + 0)) ;;
	'' | *[!0-9]* | ????????* | 0?*) return 1 ;;
	*) found=$is ;;
	esac
}

both() { # BEFORE MAX: sets found to the number in is, beside a different one of the first port
	number "$is" 0 "$2" || return 1
	found=$is
	[ -z "$of" ] || [ "$1" = "$is" ] || found="$1 and $is"
}

ask_file() { # FILE: text is all of it; fails, with none, where it cannot be read or is longer than a file of the kernel
	text=
	{ while read -r line; do
		text=$text$line$nl
		[ "${#text}" -le 8192 ] || break
	done <"$1"; } 2>/dev/null && [ -n "$text" ] && [ "${#text}" -le 8192 ] && return
	text=
	return 1
}

read_debug() { # the kernel's own driver shows some parameters, in decimal; no document says how they are set
	pci=$(readlink "$net/device") || pci=
	debug=$root/sys/kernel/debug/bnxt_re/${pci##*/}/cc_config
	[ -e "$debug/enable_cc" ] || return 0
	tell alt_vlan_dscp
	cnp_dscp=$found
	tell alt_vlan_pcp
	cnp_prio=$found
	tell tos_dscp
	stays roce_dscp "$found"
	roce_dscp=$found
	tell cc_mode
	stays cc_mode "$found"
	cc_mode=$found
	tell tos_ecn
	stays ecn_marking "$found"
	ecn_marking=$found
	tell enable_cc
	case $found in 0) found=off ;; 1) found=on ;; esac
	stays ecn_enable "$found"
	ecn_enable=$found
	tell run_avg_weight_g
	stays dcqcn_g "$found"
	dcqcn_g=$found
	tell inactivity_cp
	stays dcqcn_inact_th "$found"
	dcqcn_inact_th=$found
	tell init_cr
	stays dcqcn_init_cr "$found"
	dcqcn_init_cr=$found
	tell init_tr
	stays dcqcn_init_tr "$found"
	dcqcn_init_tr=$found
}

stays() { # KEY VALUE: sets found to the value, or to a reason where another one is wanted, which nothing can set
	look "$conf" "$1" || found=$2
	case $2 in
	"$found" | unsupported:* | unreadable:*) found=$2 ;;
	*) found="unsupported: it is $2, and $vendor" ;;
	esac
}

tell() { # NAME: a parameter in debugfs
	! peek "$debug/$1" "the driver does not show it" || number "$found" 0 65535 ||
		found="unreadable: ${debug#"$root"}/$1 has no number"
}

see_class() { emit traffic_class 'unsupported: the driver has no traffic class for all connections'; }

see_all() {
	obs=
	see_host
	see_pause
	see_ports again
	see_cc
	see_cma
	see_class
	see_vlan
}

set_host_dcbx() {
	dcb dcbx set dev "$if" host ieee || { printf '%s\n' "$managed" && return 1; }
}

wanted_map() { # sets wanted to the pairs DSCP:PRIORITY of the value file
	wanted=
	for prio in 0 1 2 3 4 5 6 7; do
		look "$conf" "dscp_prio$prio" || continue
		codepoints "$found" || return 1
		for entry in $found; do
			dscp=${entry%%-*}
			while [ "$dscp" -le "${entry#*-}" ]; do
				wanted="$wanted $dscp:$prio"
				dscp=$((dscp + 1))
			done
		done
	done
}

# The table of the kernel keeps every priority of a DSCP, and the NIC the last one. To delete an entry takes the DSCP out of
# the NIC, whatever else the table has: so all entries of such a DSCP go first.
set_map() {
	look "$conf" trust
	if [ "$found" = pcp ]; then
		change_app del "$if" dscp-prio $pairs
		return
	fi
	wanted_map || return 1
	wrong=' '
	for pair in $pairs; do
		case "$wanted " in *" $pair "*) ;; *) wrong="$wrong${pair%:*} " ;; esac
	done
	gone=
	left=' '
	for pair in $pairs; do
		case $wrong in *" ${pair%:*} "*) gone="$gone $pair" ;; *) left="$left$pair " ;; esac
	done
	new=
	for pair in $wanted; do
		case $left in *" $pair "*) ;; *) new="$new $pair" ;; esac
	done
	[ -z "$gone" ] || change_app del "$if" dscp-prio $gone || return 1
	[ -z "$new" ] || change_app add "$if" dscp-prio $new
}

# Firmware without service profiles loses the map of each port of the device when congestion control is applied, and the
# kernel's tables still have it. A port whose map cannot be written anew gets an empty table, as its card has.
again_map() {
	ports=$if
	[ -z "$bond" ] || ! slurp "$root/sys/class/net/$bond/bonding/slaves" || ports=$found
	status=0
	for peer in $ports; do
		if ! netdev "$peer" || ! ask dcb -N app show dev "$peer"; then
			printf 'dcb does not show that of %s\n' "$peer"
			status=1
			continue
		fi
		after dscp-prio "$text"
		[ -n "$found" ] || continue
		map=$found
		dcb app flush dev "$peer" dscp-prio || :
		change_app add "$peer" dscp-prio $map || status=1
	done
	return "$status"
}

settle_cc() {
	tried=
	settle "$cc_keys" see_cc set_cc
	[ -n "$tried" ] && has_cc && ! profiles || return 0
	answer=$(again_map 2>&1) && return
	words "$answer" "$nl"
	fail "the DSCP map cannot be written again after congestion control: $found"
}

set_udp() {
	look "$conf" roce_udp
	words "${found#none}" ,
	want=" $found "
	words "${own_udp#none}" ,
	have=" $found "
	for prio in $have; do
		case $want in *" $prio "*) ;; *) change_app del "$if" dgram-port-prio "4791:$prio" || return 1 ;; esac
	done
	for prio in $want; do
		case $have in *" $prio "*) ;; *) change_app add "$if" dgram-port-prio "4791:$prio" || return 1 ;; esac
	done
}

set_cc() { # again where the other port of a bond has removed the folder meanwhile
	has_cc || { printf '%s\n' "$vendor" && return 1; }
	for _ in 1 2 3; do
		open_cc || mkdir "$cc_top" || return 1 # for its words
		write_cc
		[ ! -d "$cc_top" ] || break
	done
	close_cc
	return "$status"
}

write_cc() { # everything that is wanted, and then apply: the files themselves keep what was written last, used or not
	status=0
	for key in $cc_keys; do
		look "$conf" "$key" && [ "$found" != none ] || continue
		name=${key#dcqcn_}
		case $key=$found in
		prio_vlan=on) name=disable_prio_vlan_tx found=0 ;;
		prio_vlan=off) name=disable_prio_vlan_tx found=1 ;;
		*=on) found=1 ;;
		*=off) found=0 ;;
		cnp_prio=* | roce_prio=*) ! profiles || continue ;;
		esac
		hex "$found" && put "$cc/$name" "$found" || status=1
	done
	put "$cc/apply" 0x1 || status=1
}

hex() { found=$(printf '0x%x' "$1"); } # NUMBER: as these files take it, which read every number as hexadecimal

profiles() { # whether the firmware has service profiles: it then takes the priorities from the classes, and refuses these files
	ask_file "$root/sys/kernel/debug/bnxt_re/$rdma/info" || return 1
	case $text in *'fw_service_prof_type_sup : 1'*) ;; *) return 1 ;; esac
}

rivals() { refuse_lldpad; }

ready() {
	refuse_driver bnxt_en
	refuse_twin
	wants pfc || return 0
	refuse_no_dcb 5.12
	obs=
	see_ports
	[ -z "$own_agent" ] || die "$managed"
}

come_up() { wait_card; }

bring_about() {
	look "$conf" pause && [ "$found" = off ] && settle pause see_pause set_pause
	[ -n "$back" ] || settle dcbx see_ports set_host_dcbx
	look "$conf" pfc && [ "$found" = 0,0,0,0,0,0,0,0 ] && settle pfc see_ports set_pfc
	# The driver takes PFC only after the classes.
	settle 'ets_bw ets_tc ets_tsa' see_ports set_ets
	settle pfc see_ports set_pfc
	settle pause see_pause set_pause
	settle "trust $dscp_keys" see_ports set_map
	settle roce_udp see_ports set_udp

	if wants roce_mode tos $cc_keys; then # and DCB does not wait for them
		come_up || fail "no RDMA device appeared in $patience s; is bnxt_re loaded, and RoCE on in the NIC's NVRAM?"
	fi
	if [ -n "$rdma" ]; then
		settle_cc
		settle 'roce_mode tos' see_cma set_cma
	fi
	settle traffic_class see_class :
	settle 'vlan_ip vlan_map' see_vlan set_vlan
	return "$failed"
}
