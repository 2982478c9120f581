package grammar

import (
	"fmt"
	"slices"
	"strings"
)

// Box holds the facts that the allow-list of patches depends on.
type Box struct {
	Version
	Family Family
	HwSKU  string
}

// Verdict is the answer of `config apply-patch` to one operation, before it applies any.
type Verdict struct {
	Allowed bool
	Reason  string // why the operation is refused, in a sentence
	Instead string // what to do instead, in a sentence
}

// scenario is a group of fields in the allow-list that share operations and the dates from which each chip accepts them.
type scenario struct {
	fields     []string
	operations string
	dates      func(Release) map[Family]string
}

// tuning returns the dates from which images of a branch accept changes of a chip's fields: YYYYMMDD, compared as text. Source: the
// platforms members of gcu_field_operation_validators.conf.json of each branch. A family without a date is refused.
func tuning(r Release) map[Family]string {
	d := map[Family]string{
		"spc1": "20181100", "spc2": "20191100", "spc3": "20220500", "spc4": "20221100",
		"td2": "20181100", "th": "20181100", "th2": "20181100", "td3": "20201200", "cisco-8000": "20201200",
	}
	return later(d, r)
}

// later adds the chips that newer branches added. Their dates are the same for all fields.
func later(d map[Family]string, r Release) map[Family]string {
	if r >= 202405 {
		d["th3"], d["th4"], d["th5"], d["j2c+"] = "20240500", "20240500", "20240500", "20220500"
	}
	if r >= 202505 {
		d["spc5"], d["td4"], d["q2c+"] = "20241200", "20241100", "20241100"
	}
	if r >= 202511 {
		d["q3d"], d["marvell-teralynx"] = "20251100", "20241100"
	}
	if r >= 202605 {
		d["th6"] = "20251100"
	}
	return d
}

// thresholds returns the dates of dynamic_th and of marking. They equal those of tuning, except that cisco-8000 is accepted from 202305
// on.
func thresholds(r Release) map[Family]string {
	d := tuning(r)
	if r < 202305 {
		delete(d, "cisco-8000")
	}
	return d
}

// headrooms returns the dates of xoff and of pools.
func headrooms(r Release) map[Family]string {
	d := map[Family]string{
		"spc1": "20191100", "spc2": "20191100", "spc3": "20220500", "spc4": "20221100",
		"th": "20221100", "th2": "20221100", "td3": "20221100", "cisco-8000": "20201200",
	}
	if r < 202305 {
		delete(d, "cisco-8000")
	}
	d = later(d, r)
	delete(d, "marvell-teralynx")
	return d
}

// trimming returns the dates of packet_discard_action.
func trimming(r Release) map[Family]string {
	d := map[Family]string{"spc4": "20241200", "spc5": "20241200", "th5": "20241200"}
	if r >= 202605 {
		d["th6"] = "20251100"
	}
	return d
}

const (
	anyOperation = "add remove replace"
	replaceOnly  = "replace"
)

// scenarios returns the entries of a release's allow-list for a table. listed is false for a table without entries, which only the YANG
// models check.
func scenarios(r Release, table string) (list []scenario, listed bool) {
	switch table {
	case "PFC_WD":
		s := scenario{[]string{"restoration_time", "detection_time", "action", "global/poll_interval", ""}, anyOperation, tuning}
		if r >= 202511 {
			s.fields = append(s.fields, "pfc_stat_history")
		}
		return []scenario{s}, true
	case "BUFFER_POOL":
		if r >= 202511 {
			return nil, true
		}
		return []scenario{{
			[]string{"ingress_lossless_pool/xoff", "ingress_lossless_pool/size", "egress_lossy_pool/size"},
			replaceOnly,
			headrooms,
		}}, true
	case "BUFFER_PROFILE":
		list = []scenario{{[]string{"dynamic_th"}, replaceOnly, thresholds}, {[]string{"xoff"}, replaceOnly, headrooms}}
		if r >= 202511 {
			list = append(list, scenario{[]string{"packet_discard_action"}, "add replace", trimming})
		}
		return list, true
	case "WRED_PROFILE":
		fields := []string{"green_min_threshold", "green_max_threshold", "green_drop_probability"}
		switch {
		case r >= 202511:
			return nil, false
		case r < 202505:
			for i, f := range fields {
				fields[i] = "azure_lossless/" + f
			}
		}
		return []scenario{{fields, replaceOnly, thresholds}}, true
	}
	return nil, false
}

// Allowed reports whether the switch accepts one operation of a patch. The rules are those of generic_config_updater of its branch: a
// table of fields and operations, by chip and date of the image. If the table has no rules, only the YANG models check it.
func (b Box) Allowed(op Operation) Verdict {
	if op.Kind == Remove && op.Table == "PFC_WD" && op.Row == "GLOBAL" && (op.Field == "" || op.Field == "POLL_INTERVAL") {
		return refusal(op, "PFC_WD.GLOBAL is never removed by a patch")
	}
	list, listed := scenarios(b.Release, op.Table)
	if !listed {
		return Verdict{Allowed: true}
	}
	if b.Release >= 202511 && op.Table == "BUFFER_PROFILE" && op.Row != "" && op.Field == "" {
		return Verdict{Allowed: true} // a whole row, and not the whole table
	}
	if b.Family == "" {
		hwsku := "without an hwsku"
		if b.HwSKU != "" {
			hwsku = "with the hwsku " + b.HwSKU
		}
		return refusal(op, fmt.Sprintf("the allow-list of %s does not have the switch %s, so it refuses the whole table",
			b.Release, hwsku))
	}
	fields := op.checked(b.Release)
	for _, field := range fields {
		s := find(list, field)
		switch {
		case s == nil && op.Table == "BUFFER_POOL" && b.Release >= 202511:
			return refusal(op, fmt.Sprintf("the allow-list of %s permits no change of pools", b.Release))
		case s == nil:
			return refusal(op, fmt.Sprintf("the allow-list of %s does not have %s", b.Release, op.named(field)))
		case s.dates(b.Release)[b.Family] == "":
			return refusal(op, fmt.Sprintf("the allow-list of %s does not permit a change of %s on %s",
				b.Release, op.named(field), b.Family))
		case !strings.Contains(s.operations, string(op.Kind)):
			return refusal(op, fmt.Sprintf("the allow-list of %s permits replacing %s, but not adding or removing it",
				b.Release, op.named(field)))
		case b.Date != "" && b.Date < s.dates(b.Release)[b.Family]:
			return refusal(op, fmt.Sprintf("on %s, images from %s on can change %s, and this one is of %s", b.Family, op.named(field),
				s.dates(b.Release)[b.Family], b.Date))
		}
	}
	return Verdict{Allowed: true}
}

func find(list []scenario, field string) *scenario {
	for i := range list {
		if slices.Contains(list[i].fields, field) {
			return &list[i]
		}
	}
	return nil
}

// checked returns the names under which the allow-list looks up an operation: the path below the table in lower case, without parts that
// contain a digit. For an added object, the name of each member follows that path. For WRED_PROFILE from 202505 on, and for
// BUFFER_PROFILE from 202511 on, only the last part of the path counts.
func (o Operation) checked(r Release) []string {
	last := o.Table == "WRED_PROFILE" && r >= 202505 || o.Table == "BUFFER_PROFILE" && r >= 202511
	var parts []string
	for _, part := range []string{o.Row, o.Field} {
		if part != "" && (last || !strings.ContainsAny(part, "0123456789")) {
			parts = append(parts, strings.ToLower(part))
		}
	}
	path := strings.Join(parts, "/")
	var out []string
	if o.Kind != Remove {
		for _, member := range o.members() {
			if path == "" {
				out = append(out, member)
			} else {
				out = append(out, path+"/"+member)
			}
		}
	}
	if o.Field != "" || o.Kind == Remove {
		out = []string{path}
	}
	if last {
		for i, f := range out {
			out[i] = f[strings.LastIndexByte(f, '/')+1:]
		}
	}
	return out
}

// named describes the refused field or row.
func (o Operation) named(field string) string {
	if field == "" {
		return "a whole row of " + o.Table
	}
	return o.Table + " " + field
}

// refusal returns a verdict with advice.
func refusal(op Operation, reason string) Verdict {
	v := Verdict{Reason: strings.ToUpper(reason[:1]) + reason[1:] + "."}
	switch op.Table {
	case "PFC_WD":
		v.Instead = "Use `pfcwd interval`, `pfcwd start` and `pfcwd stop`, which write the table themselves."
	case "WRED_PROFILE":
		v.Instead = "Use `ecnconfig -p` to set thresholds of an existing profile. Other changes need an image of 202511 or later."
	case "BUFFER_POOL":
		v.Instead = "Pools cannot change while traffic runs: put them into the configuration that the switch boots with."
	case "BUFFER_PROFILE":
		v.Instead = "Use an image of 202511 or later, which accepts whole profiles."
	}
	return v
}
