// Package mlx5 spells a fabric for hosts: the settings of RoCE NICs whose driver is mlx5_core (ConnectX-4 and later,
// BlueField).
//
// The input is a host of the IR. The output for every NIC that carries an intent (or whose RoCE is switched off) is:
//
//	/etc/rocec/host/IF.conf                    the wanted settings: sorted lines KEY=VALUE, with comments
//	/usr/local/sbin/rocec-host                 the script that applies them; the same bytes on every host
//	/etc/systemd/system/rocec-host@.service    runs it at boot, and whenever the interface comes back
//	/etc/udev/rules.d/99-rocec.rules           runs it again when an RDMA device or a VLAN interface is created again
//	nic/IF                                     not a file: the present settings, printed by "rocec-host show" as KEY=VALUE
//
// Rendering has no side effects. The script reads before it writes and writes only differences, since a write of the PFC mask bounces the
// link. It reads every written value back, and exits 1 with one line for each setting that was not applied. show, check and gids never
// change anything. A setting that the NIC or its driver lacks has the value "unsupported", is not written, and is not drift. MTU, bond and
// VLAN interfaces belong to the host's own network configuration. The script compares them and does not change them.
//
// # The value file
//
// Lines KEY=VALUE sorted by key (virtual functions by number), comments and empty lines. A setting without a key is not changed. LIST is
// eight values separated by commas, for priority or traffic class 0 to 7.
//
//	bond          netdev          the bond the port belongs to (compared, never set)
//	cable         1-999           metres of cable
//	cnp_dscp      0-63            DSCP of congestion notification packets
//	cnp_prio      0-7             their priority
//	dcbx          host            the host decides, not the firmware
//	dcqcn_NAME    number          a parameter of DCQCN
//	dscp_prioN    RANGES or none  DSCP values that get priority N; together all 64
//	ecn_np_prioN  on, off         notification point: answer marked packets of priority N with CNPs
//	ecn_rp_prioN  on, off         reaction point: slow down on CNPs
//	ets_bw        LIST 0-100      percent by traffic class; the classes that are ets sum to 100, the others are 0
//	ets_tc        LIST 0-7        traffic class by priority
//	ets_tsa       LIST            ets or strict, by traffic class
//	mtu           68-65535        bytes (compared, never set)
//	nvram_NAME    number          a parameter that the card stores (compared, never set by apply)
//	pause         on, off         802.3x link pause, both directions
//	pfc           LIST 0, 1       priorities with PFC
//	roce          on, off         RoCE on this PCI function
//	roce_mode     text            "RoCE v2" or "IB/RoCE v1": default of RDMA-CM
//	stall_prevention off, auto, 80-8000  milliseconds after which a stuck NIC stops sending pauses
//	tos           0-255           default type of service of RDMA-CM
//	traffic_class 0-255, off      type of service forced on every RC queue pair (MLNX_OFED)
//	traffic_rules RULES or none   exceptions by address, as the driver prints them, separated by spaces (MLNX_OFED)
//	trust         dscp, pcp       the field that decides a received packet's priority
//	ttl           0-255           IP TTL of RoCEv2 packets (MLNX_OFED)
//	vf_roce_N     on, off         RoCE on virtual function N (MLNX_OFED)
//	create_vlan   on              the interface of the VLAN is created if it is missing
//	vlan          1-4094          the VLAN that carries traffic identified by PCP
//	vlan_ip       ADDRESS/LENGTH  an address of the created interface
//	vlan_map      0:P,2:P,4:P,6:P 802.1p priority of the socket priorities on it
//
// show prints cnp_prio as "mode N" where np_cnp_prio_mode is not 0. The number has an effect only in mode 0, and a write of the number
// sets mode 0 (cong.c of mlx5_ib). So the script writes the number in any other mode, even if it is already right.
//
// show prints the same lines. A value is "unsupported" if the NIC lacks the setting, and "missing" if the VLAN interface or virtual
// function does not exist. The two defaults of RDMA-CM are "unread" until apply has created their configfs directory. The directory stays,
// so that show never has to create it. While it exists the module rdma_cm is in use; "rmdir /sys/kernel/config/rdma_cm/DEV" releases the
// module and keeps the values.
//
// The files do not name the RDMA device, because rdma-core renames devices. The script finds the device, and waits for it up to 60 s.
//
// # What the script uses on a host
//
// The script uses builtins of POSIX sh (of test, only -e -f -d and comparisons), and these commands:
//
//	dcb dcbx show dev IF
//	dcb dcbx set dev IF host ieee
//	dcb ets show dev IF
//	dcb ets set dev IF willing off tc-tsa 0:T … 7:T tc-bw 0:N … 7:N prio-tc 0:N … 7:N
//	dcb pfc show dev IF
//	dcb pfc set dev IF prio-pfc 0:on|off … 7:on|off
//	dcb pfc set dev IF delay METRES
//	dcb -N app show dev IF
//	dcb app add dev IF dscp-prio DSCP:PRIO …
//	dcb app flush dev IF dscp-prio
//	mlnx_qos -i IF [-a | -d os | -f LIST | -s LIST -t LIST -p LIST | --trust pcp|dscp | --dscp2prio set,D,P … | --cable_len N]
//	ethtool -a IF; ethtool -A IF rx on|off tx on|off
//	ethtool --get-tunable IF pfc-prevention-tout; ethtool --set-tunable IF pfc-prevention-tout N
//	mstconfig|mlxconfig -d BDF -e query NAME; mstconfig|mlxconfig -d BDF -y set NAME=N ...
//	mstfwreset|mlxfwreset -d BDF query; mstfwreset|mlxfwreset -d BDF -y --level 3 reset
//	devlink dev param show pci/BDF name enable_roce; devlink dev param set pci/BDF name enable_roce value true|false cmode driverinit
//	devlink dev reload pci/BDF; devlink port show; devlink port function set PORT roce enable|disable
//	ip -d link show dev VLANIF; ip link set dev VLANIF type vlan egress-qos-map FROM:TO …
//	ip link add link IF name VLANIF type vlan id VLAN; ip link set dev VLANIF up; ip link delete VLANIF
//	ip -o address show dev VLANIF; ip address replace ADDRESS/LENGTH dev VLANIF
//	systemctl is-active --quiet lldpad.service
//	modprobe rdma_cm|8021q; mkdir DIR; mkdir -p DIR; rmdir DIR; rm -f FILE; readlink LINK; sleep 1; sort; sort -n
//	sha256sum; stat -c %u:%g:%a FILE; od -An -v -tx1 (only check --json)
//
// The script uses mlnx_qos only if dcb fails. It reads (r) or reads and writes (rw) these files, where DEV is the RDMA device and P its
// port. All except the first two may be missing:
//
//	/sys/class/net/IF                                              must exist
//	/sys/class/net/IF/device/driver                           r    link to …/mlx5_core
//	/sys/class/net/IF/device                                  r    link to …/BDF
//	/sys/class/net/IF/device/infiniband/DEV                   r
//	/sys/class/net/IF/{mtu,master}                            r
//	/sys/class/net/BOND/bonding/slaves                        r
//	/sys/class/net/IF/device/roce_enable                      rw   0 or 1
//	/sys/class/net/IF/settings/vf_roce                        rw   reads "vf_num 0: 1" lines, takes "0 1"
//	/sys/class/net/IF/ecn/roce_{np,rp}/enable/PRIO            rw   0 or 1
//	/sys/class/net/IF/ecn/roce_np/{cnp_dscp,cnp_802p_prio}    rw
//	/sys/class/net/IF/ecn/roce_{np,rp}/PARAMETER              rw   of DCQCN
//	/sys/kernel/debug/mlx5/BDF/cc_params/{np,rp}_PARAMETER    rw, if the former are missing
//	/sys/kernel/debug/mlx5/BDF/cc_params/{np_cnp_dscp,np_cnp_prio}   rw, if the former are missing
//	/sys/kernel/debug/mlx5/BDF/cc_params/np_cnp_prio_mode            r, and w by restore and leave
//	/sys/kernel/config/rdma_cm/DEV/ports/P/default_roce_{mode,tos}   rw, after mkdir of DEV
//	/sys/class/infiniband/DEV                                 must exist for the rest
//	/sys/class/infiniband/DEV/ports/P/gids/N                  r
//	/sys/class/infiniband/DEV/ports/P/gid_attrs/{types,ndevs}/N      r
//	/sys/class/infiniband/DEV/tc/P/traffic_class              rw   reads "Global tclass=N" and rules, takes "N", "-1" or a rule
//	/sys/class/infiniband/DEV/{ttl,tc}/P/ttl                  rw
//	/proc/net/vlan/config                                     r
//
// The probes and the identity also use cat, head, readlink, uname, systemctl is-active and ethtool -S. If installed, they also use
// ibv_devinfo, lldpctl, lldptool, ofed_info, ethtool --get-tunable, and mlxconfig or mstconfig to query. They read
// /sys/class/net/IF/{carrier,speed}, /sys/class/net/IF/device/{vendor,device}, /sys/kernel/debug/mlx5/BDF/cc_params,
// /sys/class/infiniband/DEV/fw_ver and /sys/class/infiniband/DEV/ports/P/{state,link_layer,hw_counters,counters}. `rocec selftest` also
// uses ls, grep, ethtool --json -a, and devlink dev param show enable_roce.
//
// Facts about drivers and tools are from the mlx5 sources of Linux and of MLNX_OFED 24.07, from mlnx-tools 26.07 and from iproute2
// 6.1. The tests run the accepted command lines on the real dcb.
package mlx5

import (
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/mlx5/sim"
	"github.com/rocec/rocec/targets/nic/mlx5/steps"
	"github.com/rocec/rocec/targets/nic/senders"
	nicsim "github.com/rocec/rocec/targets/nic/sim"
	"github.com/rocec/rocec/targets/nic/stored"
)

// Target writes the settings of mlx5 NICs.
var Target = family.Target("RoCE settings of hosts with mlx5 NICs (ConnectX-4 and later, BlueField): a value file, a script and a "+
	"systemd unit.", Topics)

var family = &nic.Family{
	Kit:        steps.Kit,
	Driver:     Driver,
	Module:     "mlx5_core",
	Rows:       rows,
	Markings:   markings,
	Sent:       senders.Answers,
	Judge:      judge,
	ByHand:     judgeParameters,
	Probes:     probes,
	PauseNames: pauseNames,
	Claims:     claims,
	Cards:      stored.Cards,

	Modules:  sim.Modules,
	BondRDMA: "mlx5_bond_",
	Sim: func(ports []nic.Port) nic.Sim {
		all := make([]nicsim.NIC, len(ports))
		tools := false
		for i, p := range ports {
			tools = tools || p.Tuned
			all[i] = nicsim.NIC{Netdev: p.Netdev, ID: [2]string{maker, pciID(p.Model)}, RDMA: p.RDMA, IP: p.IP, VLANs: p.VLANs}
		}
		s := sim.New(all)
		if tools {
			s.Tools()
		}
		return s
	},
}

// Rows are the keys of the value file, sorted.
func Rows() []nic.Row { return family.Rows() }
