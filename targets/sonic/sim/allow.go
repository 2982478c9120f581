package sim

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// This file decides which changes a patch may make: field_operation_validators.py with gcu_field_operation_validators.conf.json of
// sonic-utilities, by branch.

// hwskus are hardware names that identify a chip, in branches from since on and before until.
type hwskus struct {
	chip, since, until string
	names              string // between spaces
}

// mellanox names must be equal to the hwsku, ignoring case.
var mellanox = []hwskus{
	{"spc1", "202205", "", "ACS-MSN2700 ACS-MSN2740 ACS-MSN2100 ACS-MSN2410 ACS-MSN2010 Mellanox-SN2700 Mellanox-SN2700-D48C8"},
	{
		"spc1", "202305", "", "Mellanox-SN2700-C28D8 Mellanox-SN2700-D40C8S8 Mellanox-SN2700-D44C10 ACS-MSN2700-A1 Mellanox-SN2700-A1 " +
			"Mellanox-SN2700-A1-C28D8 Mellanox-SN2700-A1-D40C8S8 Mellanox-SN2700-A1-D44C10 Mellanox-SN2700-A1-D48C8",
	},
	{"spc2", "202205", "", "ACS-MSN3800 Mellanox-SN3800-D112C8"},
	{
		"spc2", "202305", "", "ACS-MSN3420 ACS-MSN3700C ACS-MSN3700 Mellanox-SN3800-C64 Mellanox-SN3800-D100C12S2 Mellanox-SN3800-D24C52 " +
			"Mellanox-SN3800-D28C49S1 Mellanox-SN3800-D28C50",
	},
	{
		"spc3", "202205", "", "ACS-MSN4700 ACS-MSN4600 ACS-MSN4600C ACS-MSN4410 Mellanox-SN4600C-D112C8 Mellanox-SN4600C-C64 " +
			"Mellanox-SN4700-O8C48",
	},
	{
		"spc3", "202305", "", "Mellanox-SN4600C-D100C12S2 Mellanox-SN4600C-D48C40 Mellanox-SN4700-A96C8V8 Mellanox-SN4700-C128 " +
			"Mellanox-SN4700-O28 Mellanox-SN4700-O8V48 Mellanox-SN4700-V48C32",
	},
	{"spc3", "202311", "", "Mellanox-SN4700-O32 Mellanox-SN4700-V64"},
	{"spc3", "202405", "", "ACS-SN4280 Mellanox-SN4280-O28"},
	{"spc3", "202411", "", "Mellanox-SN4280-C48 Mellanox-SN4280-O8C40 Mellanox-SN4280-O8V40"},
	{"spc3", "202505", "", "Mellanox-SN4280-O8C80"},
	{"spc3", "202511", "", "Mellanox-SN4280-O4X96"},
	{"spc4", "202205", "", "ACS-SN5600"},
	{"spc4", "202311", "", "Mellanox-SN5600-O128 Mellanox-SN5600-V256 ACS-SN5400"},
	{"spc4", "202405", "", "Mellanox-SN5600-C256S1 Mellanox-SN5600-C224O8"},
	{"spc4", "202411", "", "Mellanox-SN5610N-C256S2 Mellanox-SN5610N-C224O8"},
	{"spc5", "202505", "", "ACS-SN5640 Mellanox-SN5640-C512S2 Mellanox-SN5640-C448O16"}, // listed in 202411, but its code does not look it up
	{"spc5", "202511", "", "Mellanox-SN5640-C512X2 Mellanox-SN5640-C508O1X2 Mellanox-SN5640-O128X2"},
}

// broadcom names need only be part of the hwsku. The first chip with such a name counts, in this order.
var broadcom = []hwskus{
	{
		"th", "202205", "", "Force10-S6100 Arista-7060CX-32S-C32 Arista-7060CX-32S-C32-T1 Arista-7060CX-32S-D48C8 Celestica-DX010-C32 " +
			"Seastone-DX010",
	},
	{"th2", "202205", "", "Arista-7260CX3-D108C8 Arista-7260CX3-C64 Arista-7260CX3-Q64"},
	{"th2", "202405", "", "Arista-7260CX3-D108C10"},
	{"th2", "202511", "202605", "Arista-7260CX3-Q44"},
	{"th3", "202405", "", "Nokia-IXR7220-H3"},
	{"th4", "202405", "", "Nokia-IXR7220-H4-64D Nokia-IXR7220-H4-32D"},
	{"th5", "202405", "", "Nokia-IXR7220-H5-64D"},
	{"th5", "202411", "", "Arista-7060X6-64DE Arista-7060X6-64PE"},
	{"th5", "202505", "", "Nokia-IXR7220-H5-64O Nokia-IXR7220-H5-32D Arista-7060X6-16PE-384C-B-O128S2"},
	{"th6", "202605", "", "Nokia-IXR7220-H6-64 Nokia-IXR7220-H6-P128 Nokia-IXR7220-H6-O256"},
	{
		"td2", "202205", "", "Force10-S6000 Force10-S6000-Q24S32 Arista-7050-QX32 Arista-7050-QX-32S Nexus-3164 " +
			"Arista-7050QX32S-Q32",
	},
	{"td3", "202205", "", "Arista-7050CX3-32S-C32 Arista-7050CX3-32S-D48C8"},
	{"td3", "202405", "", "Arista-7050CX3-32S-C28S4"},
	{"td3", "202505", "", "Arista-7050CX3-32C-C32"},
	{"td3", "202605", "", "Arista-7050CX3-32C-C28S4"},
	{"td4", "202505", "", "Nokia-IXR7220-D4-36D"},
	{"j2c+", "202405", "", "Nokia-IXR7250E-36x100G Nokia-IXR7250E-36x400G"},
	{"j2c+", "202505", "", "Nokia-IXR7250-X3B"},
	{"j2c+", "202511", "", "Arista-7800R3A-36DM2-D36"},
	{"q2c+", "202505", "", "Nokia-IXR7250-X1B"},
	{"jr2", "202511", "", "Arista-7800R3-48CQ2-C48 Arista-7800R3-48CQM2-C48 Arista-7808R3A-FM"},
	{"q3d", "202511", "", "Arista-7280R4-32QF-32DF-64O Arista-7280R4K-32QF-32DF-64O"},
}

// has reports whether a list has a matching name in a release.
func (h hwskus) has(b *Box, match func(name string) bool) bool {
	return b.since(h.since) && (h.until == "" || b.Release < h.until) && slices.ContainsFunc(strings.Fields(h.names), match)
}

// chip returns the chip that a branch's list finds for a switch.
func (b *Box) chip(hwsku string) string {
	hwsku = strings.ToLower(hwsku)
	switch {
	case b.ASIC == "cisco-8000", b.ASIC == "marvell-teralynx" && b.since("202511"):
		return b.ASIC
	}
	if b.ASIC == "mellanox" || b.ASIC == "vs" {
		for _, h := range mellanox {
			if h.has(b, func(name string) bool { return strings.ToLower(name) == hwsku }) {
				return h.chip
			}
		}
	}
	if b.ASIC == "broadcom" || b.ASIC == "vs" {
		for _, h := range broadcom {
			if h.has(b, func(name string) bool { return strings.Contains(hwsku, strings.ToLower(name)) }) {
				return h.chip
			}
		}
	}
	return "unknown"
}

// scenario is a group of fields of a table, the operations that are allowed on them, and by chip the build date from which they are
// allowed.
type scenario struct {
	fields, ops []string
	dates       map[string]string
}

// built returns the dates of a branch for the first set of fields. The dates for headroom differ for chips that were added later.
func (b *Box) built(headroom bool) map[string]string {
	d := map[string]string{
		"spc1": "20181100", "spc2": "20191100", "spc3": "20220500", "spc4": "20221100", "td2": "20181100", "th": "20181100", "th2": "20181100",
		"td3": "20201200", "cisco-8000": "20201200",
	}
	more := func(branch, date string, chips ...string) {
		for _, c := range chips {
			if b.since(branch) {
				d[c] = date
			}
		}
	}
	more("202405", "20240500", "th3", "th4", "th5")
	more("202405", "20220500", "j2c+")
	more("202505", "20241200", "spc5")
	more("202505", "20241100", "td4", "q2c+")
	more("202511", "20251100", "q3d")
	more("202605", "20251100", "th6")
	more("202511", "20241100", "marvell-teralynx")
	if headroom {
		more("202205", "20191100", "spc1")
		more("202205", "20221100", "th", "th2", "td3")
		delete(d, "td2")
		delete(d, "marvell-teralynx")
	}
	return d
}

// scenarios returns the scenarios of a table in a branch; nil: the table is not restricted.
func (b *Box) scenarios(name string) []scenario {
	threshold, headroom := b.built(false), b.built(true)
	if b.Release == "202205" && name != "PFC_WD" { // Cisco was added later for all fields but the watchdog's
		delete(threshold, "cisco-8000")
		delete(headroom, "cisco-8000")
	}
	replace := []string{"replace"}
	switch name {
	case "PFC_WD":
		fields := []string{"restoration_time", "detection_time", "action", "global/poll_interval", ""}
		if b.since("202511") {
			fields = append(fields, "pfc_stat_history")
		}
		return []scenario{{fields, []string{"remove", "add", "replace"}, threshold}}
	case "BUFFER_POOL":
		if b.since("202511") {
			return []scenario{{}}
		}
		return []scenario{{[]string{"ingress_lossless_pool/xoff", "ingress_lossless_pool/size", "egress_lossy_pool/size"}, replace, headroom}}
	case "BUFFER_PROFILE":
		out := []scenario{{[]string{"dynamic_th"}, replace, threshold}, {[]string{"xoff"}, replace, headroom}}
		if b.since("202511") {
			trim := map[string]string{"spc4": "20241200", "spc5": "20241200", "th5": "20241200"}
			if b.since("202605") {
				trim["th6"] = "20251100"
			}
			out = append(out, scenario{[]string{"packet_discard_action"}, []string{"add", "replace"}, trim})
		}
		return out
	case "WRED_PROFILE":
		green := []string{"green_min_threshold", "green_max_threshold", "green_drop_probability"}
		switch {
		case b.since("202511"):
			return nil
		case !b.since("202505"):
			for i, f := range green {
				green[i] = "azure_lossless/" + f
			}
		}
		return []scenario{{green, replace, threshold}}
	}
	return nil
}

// validator returns the name of the function that checks a table; empty: no function does.
func (b *Box) validator(name string) string {
	const module = "generic_config_updater.field_operation_validators."
	switch {
	case name == "PORT" && b.since("202305"):
		return module + "port_config_update_validator"
	case b.scenarios(name) == nil:
		return ""
	case name == "BUFFER_PROFILE" && b.since("202511"):
		return module + "buffer_profile_config_update_validator"
	case name == "WRED_PROFILE" && b.since("202505"):
		return module + "wred_profile_config_update_validator"
	}
	return module + "rdma_config_update_validator"
}

// buildDate returns the date in the build version; empty if it has no date, in which case dates are not checked.
func (b *Box) buildDate() (date string) {
	for part := range strings.SplitSeq(b.Build, ".") {
		if eightDigits().MatchString(part) {
			date = part
		}
	}
	return date
}

var (
	eightDigits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{8}$`) })
	portName    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`Ethernet[0-9]+`) })
)

// illegal are removals that every branch refuses by name.
var illegal = []string{"/PFC_WD/GLOBAL/POLL_INTERVAL", "/PFC_WD/GLOBAL", "/LOOPBACK_INTERFACE/Loopback0"}

// allowed checks the difference between two configurations of a namespace.
func (s *Switch) allowed(before, after map[string]any, hwsku string) error {
	ops := fromDiff(before, after)
	for _, path := range illegal {
		if slices.ContainsFunc(ops, func(o operation) bool { return o.Op == "remove" && o.Path == path }) {
			return complaintf("Given patch operation is invalid. Operation: remove is illegal on field: %s", path)
		}
	}
	for _, o := range ops {
		parts := pointer(o.Path)
		if len(parts) == 0 {
			return complaintf("Invalid jsonpatch path: %s", o.Path)
		}
		f := s.validator(parts[0])
		if f != "" && !s.permits(o, parts, hwsku) {
			return complaintf("Modification of %s table is illegal- validating function %s returned False", parts[0], f)
		}
	}
	return nil
}

// permits checks one operation.
func (s *Switch) permits(o operation, parts []string, hwsku string) bool {
	switch {
	case parts[0] == "PORT":
		return s.permitsPort(o)
	case parts[0] == "BUFFER_PROFILE" && s.since("202511") && len(parts) == 2:
		return o.Op != "move"
	}
	lastOnly := s.since("202505") && parts[0] == "WRED_PROFILE" || s.since("202511") && parts[0] == "BUFFER_PROFILE"
	chip, date := s.chip(hwsku), s.buildDate()
	if chip == "unknown" {
		return false
	}
	var path []string
	for _, p := range parts[1:] {
		if lastOnly || !strings.ContainsAny(p, "0123456789") { // a part with a digit counts as the name of a port
			path = append(path, p)
		}
	}
	fields := []string{strings.ToLower(strings.Join(path, "/"))}
	if m, ok := o.Value.(map[string]any); ok {
		at := fields[0]
		fields = nil
		for k := range m {
			if at != "" {
				k = at + "/" + k
			}
			fields = append(fields, k)
		}
	}
	scenarios := s.scenarios(parts[0])
	return !slices.ContainsFunc(fields, func(field string) bool {
		if i := strings.LastIndexByte(field, '/'); lastOnly && i >= 0 {
			field = field[i+1:]
		}
		i := slices.IndexFunc(scenarios, func(c scenario) bool { return slices.Contains(c.fields, field) })
		return i < 0 || scenarios[i].dates[chip] == "" || !slices.Contains(scenarios[i].ops, o.Op) ||
			date != "" && date < scenarios[i].dates[chip]
	})
}

// permitsPort compares speed and FEC with what a port supports. In the simulation every port supports all usual values.
func (s *Switch) permitsPort(o operation) bool {
	ok := func(field string, v any) bool {
		text := pyStr(v)
		if field == "fec" {
			return slices.Contains([]string{"rs", "fc", "none", "auto"}, strings.TrimSpace(text))
		}
		n, err := strconv.Atoi(text)
		return err == nil && slices.Contains(speeds, n)
	}
	if o.Op == "remove" || o.Op == "move" {
		return true
	}
	for _, field := range []string{"fec", "speed"} {
		if strings.HasSuffix(o.Path, field) {
			if !portName().MatchString(o.Path) || !ok(field, o.Value) {
				return false
			}
			continue
		}
		m, _ := o.Value.(map[string]any)
		if v, has := m[field]; has {
			if !ok(field, v) {
				return false
			}
			continue
		}
		for _, kid := range m {
			if p, is := kid.(map[string]any); is && p[field] != nil && !ok(field, p[field]) {
				return false
			}
		}
	}
	return true
}

// speeds are the speeds that ports support, in Mb/s.
var speeds = []int{1000, 10000, 25000, 40000, 50000, 100000, 200000, 400000, 800000, 1600000}
