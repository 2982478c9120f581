package mlx5

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// maker is the vendor id of PCI functions of these NICs.
const maker = "0x15b3"

// pciIDs contains the device ids of the models' PCI functions, without virtual functions. Source: mlx5_core_pci_table of the kernel
// (drivers/net/ethernet/mellanox/mlx5/core/main.c).
var pciIDs = []struct{ id, model, title string }{
	{"0x1013", "connectx-4", "ConnectX-4"},
	{"0x1015", "connectx-4-lx", "ConnectX-4 Lx"},
	{"0x1017", "connectx-5", "ConnectX-5"},
	{"0x1019", "connectx-5", "ConnectX-5 Ex"},
	{"0x101b", "connectx-6", "ConnectX-6"},
	{"0x101d", "connectx-6-dx", "ConnectX-6 Dx"},
	{"0x101f", "connectx-6-lx", "ConnectX-6 Lx"},
	{"0x1021", "connectx-7", "ConnectX-7"},
	{"0x1023", "connectx-8", "ConnectX-8"},
	{"0x1025", "connectx-9", "ConnectX-9"}, // nicType 1025 of the vendor's NIC configuration operator
	{"0xa2d6", "bluefield-2", "BlueField-2"},
	{"0xa2dc", "bluefield-3", "BlueField-3"},
}

// nvram lists the stored firmware parameters that affect RoCE. The number of the port follows a name that ends in _P. Source: the vendor's
// list of mlxconfig parameters, and the output of mlxconfig 4.x as published in bug reports.
var nvram = []string{
	"LINK_TYPE_P", "ROCE_CONTROL", "ROCE_CC_PRIO_MASK_P", "CNP_DSCP_P", "CNP_802P_PRIO_P", "NUM_OF_PFC_P", "LLDP_NB_DCBX_P", "DCBX_WILLING_P",
	"NUM_OF_TC_P", "NUM_OF_PLANES_P",
}

// firmwareProbe asks for the card model of a NIC, and for the settings of its firmware and driver that the host's tools show.
func firmwareProbe(s *nic.Settings) target.Probe {
	n := s.NIC
	return target.Probe{
		Name: "card of " + n.Name, Slow: true,
		Query: target.Query{Cmd: "n=" + nic.Quote(n.Name) + `
for k in vendor device; do
{ read -r v <"/sys/class/net/$n/device/$k"; } 2>/dev/null && printf '%s %s\n' "$k" "$v"
done
v=$(timeout 5 ofed_info -s 2>/dev/null) && printf 'ofed %s\n' "$v"
[ ! -d "/sys/class/net/$n/ecn" ] || echo 'ecn sysfs'
pci=$(readlink "/sys/class/net/$n/device") || pci=none
pci=${pci##*/}
printf 'pci %s\n' "$pci"
for f in "/sys/kernel/debug/mlx5/$pci"/cc_params/* "/sys/class/net/$n"/ecn/roce_[nr]p/*; do
{ [ -f "$f" ] && read -r v <"$f"; } 2>/dev/null && printf 'dcqcn.%s %s\n' "${f##*/}" "$v"
done
timeout 5 ethtool --get-tunable "$n" pfc-prevention-tout 2>/dev/null | while read -r k v rest; do
[ "$k" != pfc-prevention-tout: ] || printf 'pfc-prevention-tout %s\n' "$v"
done
timeout 5 lldptool -t -i "$n" -V PFC -c willing 2>/dev/null | while read -r v rest; do
case $v in willing=*) printf 'lldpad.willing %s\n' "${v#*=}" ;; esac
done
for c in mlxconfig mstconfig; do
command -v "$c" >/dev/null || continue
timeout 10 "$c" -d "$pci" -e query 2>/dev/null | while read -r k v w x y rest; do
[ "$k" != '*' ] || { k=$v v=$w w=$x x=$y; }
case $k in ` + strings.Join(nvramNames(), " | ") + `) printf 'nv.%s %s\n' "$k" "$w"
[ "$x" = "$w" ] || printf 'next.%s %s\n' "$k" "$x" ;;
esac
done
break
done
true`},
		Judge:   func(answer []byte) []string { return judgeCard(s, nic.ReadFacts(answer)) },
		Samples: func(answer []byte) []target.Sample { return cardSamples(s, nic.ReadFacts(answer)) },
	}
}

// nvramNames returns the names of nvram for both ports.
func nvramNames() []string {
	var out []string
	for _, name := range nvram {
		if strings.HasSuffix(name, "_P") {
			out = append(out, name+"1", name+"2")
		} else {
			out = append(out, name)
		}
	}
	return out
}

// storedText returns a stored parameter for the port of a NIC; empty: it is unknown. The ports of a card are functions of one device.
// kind is "nv." for the value in use, and "next." for another value after the next reset.
func storedText(f nic.Facts, kind, name string) string {
	if !strings.HasSuffix(name, "_P") {
		return f[kind+name]
	}
	port := "1"
	if strings.HasSuffix(f["pci"], ".1") && f["nv."+name+"2"] != "" {
		port = "2"
	}
	return f[kind+name+port]
}

// storedNumber returns a stored value as a number. The value is a number, or a word followed by its number: "255", "True(1)".
func storedNumber(f nic.Facts, name string) (int, bool) {
	v := storedText(f, "nv.", name)
	if _, rest, ok := strings.Cut(v, "("); ok {
		v = strings.TrimSuffix(rest, ")")
	}
	n, err := strconv.ParseInt(v, 0, 32)
	return int(n), err == nil
}

func judgeCard(s *nic.Settings, f nic.Facts) []string {
	n := s.NIC
	at := n.Name + " on " + n.Device.Name
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if title, model := cardModel(f); model != "" && model != n.Model.Name && slices.Contains(Driver.Models, n.Model) {
		say("%s is a %s; the fabric says %s.", at, title, strings.TrimPrefix(strings.TrimPrefix(n.Model.Title, "NVIDIA "), "Mellanox "))
	}
	if v, ok := storedNumber(f, "LINK_TYPE_P"); ok && v != 2 {
		say("The firmware of %s sets the port to %s, not to Ethernet (LINK_TYPE). Set it to ETH with mlxconfig, and reset the card.", at,
			target.Escape(storedText(f, "nv.", "LINK_TYPE_P")))
	}
	if v, ok := storedNumber(f, "ROCE_CONTROL"); ok && v == 1 {
		say("The firmware of %s has RoCE switched off (ROCE_CONTROL). Set it to ROCE_ENABLE with mlxconfig, and reset the card.", at)
	}
	if v, ok := storedNumber(f, "NUM_OF_PFC_P"); ok && v < count(s.PFC) {
		say("The firmware of %s supports %d lossless priorities (NUM_OF_PFC); the fabric has %d.", at, v, count(s.PFC))
	}
	if v, ok := storedNumber(f, "NUM_OF_TC_P"); ok && v != 0 && v < classes(s) { // 0 is 8
		say("The firmware of %s has %d %s (NUM_OF_TC); the fabric needs %d.", at, v, diag.Plural(v, "traffic class", "traffic classes"),
			classes(s))
	}
	if f["ecn"] == "" { // else switches of the driver decide, which are settings
		if mask, ok := storedNumber(f, "ROCE_CC_PRIO_MASK_P"); ok {
			for prio, on := range s.ECN {
				if on && mask>>prio&1 == 0 {
					say("The firmware of %s turns congestion control off for priority %d (ROCE_CC_PRIO_MASK), which the fabric marks by "+
						"ECN%s.", at, prio,
						dropping(n.Device.Fabric, prio))
				}
			}
		}
	}
	if s.CNP != nil && f["ecn"] == "" && f["dcqcn.np_cnp_dscp"] == "" { // else the DSCP is a setting
		if v, ok := storedNumber(f, "CNP_802P_PRIO_P"); ok && v != s.CNP.Cos {
			say("The firmware of %s sends CNPs with priority %d (CNP_802P_PRIO), which the host cannot change while it runs; the fabric says "+
				"%d.", at, v, s.CNP.Cos)
		}
		if v, ok := storedNumber(f, "CNP_DSCP_P"); ok && len(s.CNP.DSCP) > 0 && v != s.CNP.DSCP[0].Value {
			say("The firmware of %s sends CNPs with DSCP %d (CNP_DSCP), which the host cannot change while it runs; the fabric says "+
				"%d.", at, v, s.CNP.DSCP[0].Value)
		}
	}
	return wrong
}

// dropping returns a clause about a switch that drops lossless packets of a priority if the NIC sets no ECN bits. It is empty if no switch
// does.
func dropping(f *ir.Fabric, prio int) string {
	if !slices.ContainsFunc(f.CosGroups, func(g *ir.CosGroup) bool { return g.Cos == prio && g.Lossless && g.ECN != nil }) {
		return ""
	}
	i := slices.IndexFunc(f.Devices, func(d *ir.Device) bool { return d.Switch != nil && d.Switch.Can.Drops != "" })
	if i < 0 {
		return ""
	}
	return fmt.Sprintf(", and without ECN bits lossless packets are lost at %s: %s", f.Devices[i].Name, f.Devices[i].Switch.Can.Drops)
}

// cardModel returns the model of a NIC by the ids of its PCI function; empty: unknown.
func cardModel(f nic.Facts) (title, model string) {
	for _, p := range pciIDs {
		if f["vendor"] == maker && f["device"] == p.id {
			return p.title, p.model
		}
	}
	return "", ""
}

func count(mask [8]bool) (n int) {
	for _, on := range mask {
		if on {
			n++
		}
	}
	return n
}

// cardSamples returns the facts of the card, its driver and its firmware, and hints about settings that may have no effect or that the
// firmware may change.
func cardSamples(s *nic.Settings, f nic.Facts) []target.Sample {
	title, _ := cardModel(f)
	f["model"] = title
	f["driver"] = "mlx5_core, of the kernel"
	if v := f["ofed"]; v != "" {
		f["driver"] = "mlx5_core, " + strings.TrimSuffix(v, ":")
	} else if f["ecn"] != "" {
		f["driver"] = "mlx5_core, of the vendor"
	}
	keys := []string{"model", "driver", "pfc-prevention-tout", "lldpad.willing"}
	var more []string
	for key := range f {
		if strings.HasPrefix(key, "dcqcn.") || strings.HasPrefix(key, "nv.") || strings.HasPrefix(key, "next.") {
			more = append(more, key)
		}
	}
	slices.Sort(more)
	out := f.Samples(s.NIC.Name, append(keys, more...))
	if _, ok := f.Number("dcqcn.np_cnp_prio_mode"); s.CNP != nil && s.ECN != [8]bool{} && !ok {
		out = append(out, target.Sample{
			Name: "mode of CNPs", On: s.NIC.Name, Unit: target.UnitState, Value: 1,
			Hint: fmt.Sprintf("The priority of CNPs may have no effect on %s of %s: debugfs does not show np_cnp_prio_mode, and cnp_prio has an "+
				"effect only in mode 0.", s.NIC.Name, s.NIC.Device.Name),
		})
	}
	out = append(out, parameterHints(s, f)...)
	if on, ok := storedNumber(f, "LLDP_NB_DCBX_P"); ok && on == 1 {
		out = append(out, target.Sample{
			Name: "firmware LLDP", On: s.NIC.Name, Unit: target.UnitState, Value: 1,
			Hint: fmt.Sprintf("The firmware of %s on %s runs DCBX (LLDP_NB_DCBX) until the host takes over, and may accept PFC from the switch: "+
				"set LLDP_NB_DCBX_P1 and _P2 to 0 with mlxconfig.", s.NIC.Name, s.NIC.Device.Name),
		})
	}
	return out
}

// pciID returns the device id of a model for the simulation. For an unknown model it returns that of the ConnectX-5.
func pciID(m *ir.NICModel) string {
	for _, p := range pciIDs {
		if p.model == m.Name {
			return p.id
		}
	}
	return "0x1017"
}

// DeviceIDs returns the PCI device ids of a model, without 0x; nil: the model is unknown.
func DeviceIDs(model string) (ids []string) {
	for _, p := range pciIDs {
		if p.model == model {
			ids = append(ids, strings.TrimPrefix(p.id, "0x"))
		}
	}
	return ids
}

// classes returns the number of traffic classes that the settings of a NIC need.
func classes(s *nic.Settings) (n int) {
	for _, tc := range s.TC {
		n = max(n, int(tc)+1)
	}
	return n
}

// parameterHints returns hints about parameters that the fabric does not state: those of DCQCN whose value is not the one of the firmware,
// stall prevention that is off, and stored values that only count after the next reset.
func parameterHints(s *nic.Settings, f nic.Facts) (out []target.Sample) {
	at := s.NIC.Name + " of " + s.NIC.Device.Name
	hint := func(name, format string, args ...any) {
		out = append(out, target.Sample{Name: name, On: s.NIC.Name, Unit: target.UnitState, Value: 1, Hint: fmt.Sprintf(format, args...)})
	}
	stated := s.NIC.Parameters
	if stated == nil {
		stated = &ir.NICParameters{}
	}
	var changed []string
	for _, p := range parameters().DCQCN {
		v, ok := f.Number("dcqcn." + p.Name)
		if !ok {
			v, ok = f.Number("dcqcn." + inDebugfs(p.Name))
		}
		if ok && p.By == "" && p.Factory != anyFactory && v != p.Factory && ir.Find(stated.DCQCN, p.Name) == nil {
			changed = append(changed, fmt.Sprintf("%s is %d (%d)", p.Name, v, p.Factory))
		}
	}
	if len(changed) > 0 && s.ECN != [8]bool{} {
		hint("changed DCQCN", "DCQCN of %s has other values than the firmware (in parentheses): %s. If they are meant, write them in dcqcn of "+
			"the nic block. Source: %s.", at, strings.Join(changed, ", "), parameterSource)
	}
	if v, ok := f.Number("pfc-prevention-tout"); ok && v == 0 && stated.Stall == nil && s.PFC != [8]bool{} {
		hint("stall prevention", "Stall prevention of %s is off: if the NIC is stuck, it sends pauses without end. Write stall_prevention = "+
			"\"auto\" in the nic block.", at)
	}
	var later []string
	for _, name := range nvram {
		if next := storedText(f, "next.", name); next != "" {
			later = append(later, fmt.Sprintf("%s is %s, and %s after it", strings.TrimSuffix(name, "_P"), target.Escape(storedText(f, "nv.", name)),
				target.Escape(next)))
		}
	}
	if len(later) > 0 {
		hint("next reset", "What the card of %s stores takes effect at its next reset: %s.", at, strings.Join(later, "; "))
	}
	return out
}
