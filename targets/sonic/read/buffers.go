package read

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/sonic/grammar"
)

// Headroom returns the headroom of a profile in bytes; 0: it is unknown, or its text is not a size. The buffer manager makes some
// profiles from the lookup file. If such a profile is missing, Headroom uses the row of the file.
func Headroom(c *grammar.Config, lookup grammar.Lookup, profile string) int {
	row := c.Row("BUFFER_PROFILE", profile)
	text := row.Get("xoff")
	if row == nil {
		sizes, sized := made(lookup, profile)
		if !sized {
			return 0
		}
		text = sizes.Xoff
	}
	xoff, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return max(xoff, 0)
}

// made returns the sizes of a profile that the buffer manager makes.
func made(lookup grammar.Lookup, profile string) (grammar.Sizes, bool) {
	speed, metres, ok := grammar.ParseProfileName(profile)
	sizes, sized := lookup[speed][metres]
	return sizes, ok && sized
}

// MarksGreen reports whether a value of the field ecn marks packets that no policer has coloured.
func MarksGreen(ecn string) bool { return ecn == "ecn_all" || strings.HasPrefix(ecn, "ecn_green") }

// group reads a priority group of a port. mask has the port's priorities with PFC.
func (r *reading) group(name string, n int, mask uint8) ir.GroupSettings {
	s := r.slot("BUFFER_PG", name, n)
	switch {
	case s.clash:
		return ir.GroupSettings{}
	case s.row == nil && !r.has("BUFFER_PG"):
		return ir.GroupSettings{}
	case s.row == nil && mask>>n&1 == 1 && !r.running && !r.dynamic && r.cables[name].Text != "0m":
		return ir.GroupSettings{} // the buffer manager makes the row
	case s.row == nil:
		return ir.GroupSettings{Lossless: ir.ByDefault(false)}
	}
	profile := s.row.Get("profile")
	g, ok := r.groups[profile]
	if !ok {
		g = r.groupOf(profile)
		r.groups[profile] = g
	}
	return g
}

// groupOf reads the settings of a priority group from its profile.
func (r *reading) groupOf(profile string) (g ir.GroupSettings) {
	row := r.cfg.Row("BUFFER_PROFILE", profile)
	switch sizes, sized := made(r.lookup, profile); {
	case profile == noProfile:
		g.Lossless, g.Pool = ir.Of(true), ir.ByDefault(grammar.Pool)
		for _, key := range r.cfg.Keys("DEFAULT_LOSSLESS_BUFFER_PARAMETER") {
			g.Limit = limit(r.cfg.Row("DEFAULT_LOSSLESS_BUFFER_PARAMETER", key), "default_dynamic_th", ir.LimitAlpha)
		}
		return g
	case row == nil && grammar.IsMade(profile):
		g.Lossless, g.Pool = ir.Of(true), ir.ByDefault(grammar.Pool)
		if !sized {
			return g
		}
		fields := map[string]grammar.Value{
			"size": {Text: sizes.Size}, "xon": {Text: sizes.Xon}, "xoff": {Text: sizes.Xoff}, "pool": {Text: grammar.Pool},
		}
		if sizes.XonOffset != "" {
			fields["xon_offset"] = grammar.Value{Text: sizes.XonOffset}
		}
		threshold := "dynamic_th"
		if r.cfg.Get("BUFFER_POOL", grammar.Pool, "mode") == "static" {
			threshold = "static_th"
		}
		fields[threshold] = grammar.Value{Text: sizes.Threshold}
		row = &grammar.Row{Fields: fields}
	case row == nil:
		return g
	}
	g.Lossless = ir.Of(r.lossless(profile))
	if row.Get("headroom_type") == "dynamic" {
		g.Lossless = ir.Of(true)
	}
	g.Buffer, g.Headroom = number(row, "size"), number(row, "xoff")
	if !g.Lossless.Value {
		g.Headroom = or(g.Headroom, row, "xoff", 0)
	}
	// SAI_BUFFER_PROFILE_ATTR_XON_TH and _XON_OFFSET_TH are 0 by default (opencomputeproject/SAI, saibuffer.h).
	g.Xon, g.XonOffset = number(row, "xon"), number(row, "xon_offset")
	if row.Has("xoff") {
		g.Xon, g.XonOffset = or(g.Xon, row, "xon", 0), or(g.XonOffset, row, "xon_offset", 0)
	}
	g.Limit, g.Pool = r.limit(row), poolOf(row)
	return g
}

// poolOf returns the pool of a profile.
func poolOf(row *grammar.Row) ir.Setting[string] {
	if pool := row.Get("pool"); pool != "" && pool != null {
		return ir.Of(pool)
	}
	return ir.Setting[string]{}
}

// limit returns the maximum shared memory of a profile. If a profile has both kinds of limits, the mode of its pool decides.
func (r *reading) limit(row *grammar.Row) ir.Setting[ir.Limit] {
	alpha, bytes := limit(row, "dynamic_th", ir.LimitAlpha), limit(row, "static_th", ir.LimitBytes)
	if r.cfg.Get("BUFFER_POOL", row.Get("pool"), "mode") == "static" {
		alpha, bytes = bytes, alpha
	}
	if alpha.Known() {
		return alpha
	}
	return bytes
}

func limit(row *grammar.Row, field string, kind ir.LimitKind) ir.Setting[ir.Limit] {
	n, err := strconv.Atoi(row.Get(field))
	if err != nil || kind == ir.LimitAlpha && (n < -8 || n > 7) || kind == ir.LimitBytes && n < 0 {
		return ir.Setting[ir.Limit]{}
	}
	return ir.Of(ir.Limit{Kind: kind, N: n})
}

// queue reads an egress queue of a port.
func (r *reading) queue(name string, n int) ir.QueueSettings {
	s, b := r.slot("QUEUE", name, n), r.slot("BUFFER_QUEUE", name, n)
	of := [3]string{"", "", ""}
	clash := s.clash || b.clash
	if s.row != nil {
		of[0], of[1] = s.row.Get("scheduler"), s.row.Get("wred_profile")
	}
	if b.row != nil {
		of[2] = b.row.Get("profile")
	}
	q, ok := r.queues[of]
	if !ok || clash {
		q = r.queueOf(s.row, b.row, s.clash, b.clash)
	}
	if !clash {
		r.queues[of] = q
	}
	return q
}

func (r *reading) queueOf(row, buffer *grammar.Row, unsure, unsureBuffer bool) (q ir.QueueSettings) {
	if !unsure {
		r.schedule(&q, r.cfg.Row("SCHEDULER", row.Get("scheduler")))
		switch profile := row.Get("wred_profile"); {
		case profile != "":
			wred(&q, r.cfg.Row("WRED_PROFILE", profile))
		case r.has("QUEUE"):
			q.ECN, q.Drop = ir.ByDefault(false), ir.ByDefault(false)
		}
	}
	if profile := r.cfg.Row("BUFFER_PROFILE", buffer.Get("profile")); profile != nil && !unsureBuffer {
		q.Limit, q.Pool = r.limit(profile), poolOf(profile)
	}
	return q
}

// schedule reads a scheduler. Its defaults are SAI's (opencomputeproject/SAI, saischeduler.h): WRR, weight 1, no rate.
func (r *reading) schedule(q *ir.QueueSettings, row *grammar.Row) {
	if row == nil {
		return
	}
	switch row.Get("type") {
	case "STRICT":
		q.Strict = ir.Of(true)
	case "DWRR", "WRR":
		q.Strict = ir.Of(false)
	case "":
		q.Strict = ir.ByDefault(false)
	}
	if q.Strict.Known() && !q.Strict.Value {
		q.Share = or(number(row, "weight"), row, "weight", 1)
	}
	q.MinRate, q.MaxRate = rate(row, "cir"), rate(row, "pir")
}

// rate reads a rate of a scheduler in bit/s. The field has bytes per second, or packets per second if meter_type is packets
// (saischeduler.h).
func rate(row *grammar.Row, field string) ir.Setting[int64] {
	if !row.Has(field) {
		return ir.ByDefault[int64](0)
	}
	n, err := strconv.ParseInt(row.Get(field), 10, 64)
	if meter := row.Get("meter_type"); err != nil || n < 0 || n > math.MaxInt64/8 || n > 0 && meter != "" && meter != "bytes" {
		return ir.Setting[int64]{}
	}
	return ir.Of(n * 8)
}

// ectFields are thresholds for marking alone. No branch has them, not even 202605; sonic-swss#4719 would add them.
var ectFields = []string{"ecn_green_min_threshold", "ecn_green_max_threshold", "green_ect_min_threshold", "green_ect_max_threshold"}

// wred reads a profile of WRED. With ECN it marks packets that can be marked, and drops the others between the same thresholds
// (sonic-mgmt, test plan of WRED and ECN statistics). SAI's GREEN_ENABLE is false by default, so a profile without the field marks
// nothing (sonic-swss@e6b0c5b5, orchagent/qosorch.cpp:714; sonic-buildimage#4545). For a profile with an explicit false, rocec does not
// know whether the chip marks. The default probability is 100 (qosorch.cpp, WredMapHandler::addQosItem).
func wred(q *ir.QueueSettings, row *grammar.Row) {
	if row == nil {
		return
	}
	if slices.ContainsFunc(ectFields, row.Has) { // orchagent of every branch refuses the profile
		return
	}
	ecn, enable := row.Get("ecn"), row.Get("wred_green_enable")
	green := MarksGreen(ecn)
	least := or(number(row, "green_min_threshold"), row, "green_min_threshold", 0)
	most := or(number(row, "green_max_threshold"), row, "green_max_threshold", 0)
	q.Probability = or(number(row, "green_drop_probability"), row, "green_drop_probability", 100)
	q.Drop = ir.Of(false)
	switch {
	case enable == "true" && green:
		q.ECN, q.Unmarkable = ir.Of(true), ir.Of(ir.Dropped)
		q.MarkMin, q.MarkMax, q.DropMin, q.DropMax = least, most, least, most
	case enable == "true":
		q.ECN, q.Drop = ir.Of(false), ir.Of(true)
		if !row.Has("ecn") {
			q.ECN = ir.ByDefault(false)
		}
		q.DropMin, q.DropMax = least, most
	case enable == "" && !row.Has("wred_green_enable"):
		q.ECN, q.Drop = ir.ByDefault(false), ir.ByDefault(false)
		q.Unmarkable = ir.ByDefault(ir.Passed)
		q.MarkMin, q.MarkMax = least, most
	case enable == "false":
		q.Unmarkable = ir.Of(ir.Passed)
		if q.MarkMin, q.MarkMax = least, most; !green {
			q.ECN = ir.Of(false)
		}
	default:
		q.Drop, q.Probability = ir.Setting[bool]{}, ir.Setting[int]{}
	}
}
