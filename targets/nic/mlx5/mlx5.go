// Package mlx5 spells a fabric for hosts: the settings of RoCE NICs whose driver is mlx5_core (ConnectX-4 and later,
// BlueField).
//
// In comes a host of the IR; out come, for every NIC that takes part in an intent (or whose RoCE is switched off):
//
//	/etc/rocec/host/IF.conf                    what the NIC should hold: sorted lines KEY=VALUE, comments of ours
//	/usr/local/sbin/rocec-host                 the script that brings it about; the same bytes on every host
//	/etc/systemd/system/rocec-host@.service    runs it at boot, and whenever the interface comes back
//	/etc/udev/rules.d/99-rocec.rules           hosts with a bond: runs it again when the RoCE LAG makes a new device
//	nic/IF                                     no file: the NIC as it is, printed by "rocec-host show" as KEY=VALUE
//
// Promised: rendering is pure; the script reads before it writes and writes only what differs (a write of the PFC mask
// bounces the link), reads every write back and exits 1 with one line per setting that did not take; show, check and
// gids never change anything; whatever the NIC or its driver does not offer reads as "unsupported", is left alone, and
// is no drift. MTU, bond and VLAN interfaces belong to the host's own network configuration: they are compared, never
// changed.
//
// # The value file
//
// Lines KEY=VALUE sorted by key (virtual functions by number), comments and empty lines. A key that is not there is not
// touched. LIST is eight values parted by commas, for priority or traffic class 0 to 7.
//
//	bond          netdev          the bond the port belongs to (compared, never set)
//	cable         1-999           metres of cable
//	cnp_dscp      0-63            DSCP of congestion notification packets
//	cnp_prio      0-7             their priority
//	dcbx          host            the host decides, not the firmware
//	dscp_prioN    RANGES or none  DSCP values that get priority N; together all 64
//	ecn_np_prioN  on, off         notification point: answer marked packets of priority N with CNPs
//	ecn_rp_prioN  on, off         reaction point: slow down on CNPs
//	ets_bw        LIST 0-100      percent by traffic class; the classes that are ets sum to 100, the others are 0
//	ets_tc        LIST 0-7        traffic class by priority
//	ets_tsa       LIST            ets or strict, by traffic class
//	mtu           68-65535        bytes (compared, never set)
//	pause         on, off         802.3x link pause, both directions
//	pfc           LIST 0, 1       priorities with PFC
//	roce          on, off         RoCE on this PCI function
//	roce_mode     text            "RoCE v2" or "IB/RoCE v1": default of RDMA-CM
//	tos           0-255           default type of service of RDMA-CM
//	traffic_class 0-255, off      type of service forced on every RC queue pair (MLNX_OFED)
//	traffic_rules RULES or none   exceptions by address, as the driver prints them, parted by spaces (MLNX_OFED)
//	trust         dscp, pcp       what decides a received packet's priority
//	ttl           0-255           IP TTL of RoCEv2 packets (MLNX_OFED)
//	vf_roce_N     on, off         RoCE on virtual function N (MLNX_OFED)
//	vlan          1-4094          the VLAN that carries traffic told by PCP; its interface must exist
//	vlan_map      0:P,2:P,4:P,6:P 802.1p priority of the socket priorities on it
//
// show prints the same lines, and three more values: "unsupported" for what the NIC does not have, "missing" for a VLAN
// interface or virtual function that is not there, "unread" for the two defaults of RDMA-CM until apply has made the
// configfs directory that shows them. The directory stays, so that show need not write; as long as it is there, the
// module rdma_cm is in use ("rmdir /sys/kernel/config/rdma_cm/DEV" lets go of it, and keeps the values).
//
// The RDMA device is not named: rdma-core renames devices, so the script finds it, waiting up to 60 s for one that
// comes late.
//
// # What the script uses on a host
//
// Builtins of POSIX sh (of test, only -e -f -d and comparisons), and these commands:
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
//	ip -d link show dev VLANIF; ip link set dev VLANIF type vlan egress-qos-map FROM:TO …
//	systemctl is-active --quiet lldpad.service
//	modprobe rdma_cm; mkdir -p DIR; readlink LINK; sleep 1; sort; sort -n
//
// mlnx_qos is only asked where dcb fails. Files, read (r) or read and written (rw), DEV being the RDMA device and P its
// port; all but the first two may be missing:
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
//	/sys/kernel/debug/mlx5/BDF/cc_params/{np_cnp_dscp,np_cnp_prio}   rw, where the former are missing
//	/sys/kernel/config/rdma_cm/DEV/ports/P/default_roce_{mode,tos}   rw, after mkdir of DEV
//	/sys/class/infiniband/DEV                                 must exist for the rest
//	/sys/class/infiniband/DEV/ports/P/gids/N                  r
//	/sys/class/infiniband/DEV/ports/P/gid_attrs/{types,ndevs}/N      r
//	/sys/class/infiniband/DEV/tc/P/traffic_class              rw   reads "Global tclass=N" and rules, takes "N", "-1" or a rule
//	/sys/class/infiniband/DEV/{ttl,tc}/P/ttl                  rw
//	/proc/net/vlan/config                                     r
//
// The probes and the identity use, besides: cat, readlink, systemctl is-active, ethtool -S.
//
// Facts about drivers and tools are from the mlx5 sources of Linux and of MLNX_OFED 24.07, from mlnx-tools 26.07 and
// from iproute2 6.1; the accepted command lines are tested against the real dcb.
package mlx5

import (
	_ "embed"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// Target writes the settings of mlx5 hosts.
var Target = &target.Target{
	Name:     "mlx5",
	Doc:      "RoCE settings of hosts with mlx5 NICs (ConnectX-4 and later, BlueField): a value file, a script and a systemd unit.",
	Topics:   Topics,
	Driver:   Driver,
	Check:    check,
	Render:   render,
	About:    about,
	Identity: identity,
	Probes:   probes,
	Image:    image,
}

// Where the files lie on a host.
const (
	confDir    = "/etc/rocec/host/"
	scriptPath = "/usr/local/sbin/rocec-host"
	unitPath   = "/etc/systemd/system/rocec-host@.service"
	rulesPath  = "/etc/udev/rules.d/99-rocec.rules"
)

var (
	//go:embed script/1-values.sh
	script1 string
	//go:embed script/2-read.sh
	script2 string
	//go:embed script/3-write.sh
	script3 string
	//go:embed script/4-verbs.sh
	script4 string
	//go:embed rocec-host@.service
	unit []byte
	//go:embed 99-rocec.rules
	rules []byte

	// script is shared by every host and never written to.
	script = []byte(script1 + script2 + script3 + script4)
)

// check judges the NICs of a host.
func check(d *ir.Device) diag.List {
	var ds diag.List
	for _, n := range nics(d) {
		judge(&ds, n)
	}
	return ds
}

// render gives the files of a host, in the order they should be written: code before values.
func render(d *ir.Device) ([]target.File, diag.List) {
	ds := check(d)
	ours := nics(d)
	if len(ours) == 0 || ds.HasErrors() {
		return nil, ds
	}
	activate := step(ours)
	files := make([]target.File, 0, 3+2*len(ours))
	files = append(files,
		target.File{Path: scriptPath, Mode: 0o755, Edit: editScript, Activate: activate},
		target.File{Path: unitPath, Mode: 0o644, Edit: editUnit, Activate: activate})
	if slices.ContainsFunc(ours, func(n *ir.NIC) bool { return n.Bond != nil }) {
		files = append(files, target.File{Path: rulesPath, Mode: 0o644, Edit: editRules, Activate: activate})
	}
	states := make([]target.File, 0, len(ours))
	for _, n := range ours {
		s := lower(n)
		files = append(files, s.confFile(activate))
		states = append(states, s.stateFile(activate))
	}
	return append(files, states...), ds
}

// nics gives the NICs of a host rocec has something to say about, in order of declaration.
func nics(d *ir.Device) []*ir.NIC { return nic.Of(d, Driver) }

// The files that are the same on every host are wholly ours.
func editScript([]byte) ([]byte, diag.List) { return script, nil }
func editUnit([]byte) ([]byte, diag.List)   { return unit, nil }
func editRules([]byte) ([]byte, diag.List)  { return rules, nil }

// step makes the NICs of a host use what was written.
//
// Every file of a host carries the same step, so a change of any of them applies every NIC once; the others' apply
// finds nothing to write. NICs go one after the other, because the ports of a bond must not bounce together. The
// settings are written by systemd's child, so a bounce of the link the session came over does not stop them half way.
func step(ours []*ir.NIC) target.Step {
	cmds, checks := []string{"systemctl daemon-reload"}, make([]string, 0, len(ours))
	var names []string // of links that bounce
	for _, n := range ours {
		u := quote(unitOf(n.Name))
		cmds = append(cmds, "systemctl enable "+u, "{ systemctl restart "+u+
			" || { "+scriptPath+" check "+quote(n.Name)+"; false; }; }") // check says what did not take
		checks = append(checks, "systemctl is-active --quiet "+u)
		if len(n.Carries()) > 0 { // else no PFC mask
			names = append(names, n.Name)
		}
	}
	links := strings.Join(names, ", ")
	disrupts := ""
	if len(names) > 0 {
		disrupts = "the link of " + links + " bounces when the PFC mask changes"
	}
	if len(names) > 1 {
		disrupts = "the links of " + links + " bounce, one after the other, when the PFC mask changes"
	}
	return target.Step{Cmd: strings.Join(cmds, " && "), Disrupts: disrupts, Check: strings.Join(checks, " && "), Timeout: time.Duration(len(ours)) * unitTime}
}

// unitTime is what systemd grants one NIC (TimeoutStartSec), and a little.
const unitTime = 130 * time.Second

// about says which NICs a host has: "ConnectX-5, ens1f0 ens1f1".
func about(d *ir.Device) string {
	var b strings.Builder
	var last *ir.NICModel
	for _, n := range nics(d) {
		switch {
		case n.Model != last && last != nil:
			b.WriteString("; ")
			fallthrough
		case n.Model != last:
			_, model, found := strings.Cut(n.Model.Title, " ") // the maker's name says nothing here
			if !found {
				model = n.Model.Title
			}
			b.WriteString(model + ",")
			last = n.Model
		}
		b.WriteString(" " + n.Name)
	}
	return b.String()
}
