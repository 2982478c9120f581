package read

import (
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/grammar"
)

// where returns the place of a value: of its field, or of the row that lacks the field. For pools, port is the name of the pool.
func (r *reading) where(port string, f ir.Field, index int) (at diag.Range, ok bool) {
	number := strconv.Itoa(index)
	switch f {
	case ir.FieldTrust:
		return r.first(r.qos[port], "dscp_to_tc_map", "dot1p_to_tc_map")
	case ir.FieldDSCP:
		return r.entry("DSCP_TO_TC_MAP", port, "dscp_to_tc_map", number)
	case ir.FieldPCP:
		return r.entry("DOT1P_TO_TC_MAP", port, "dot1p_to_tc_map", number)
	case ir.FieldQueue:
		return r.entry("TC_TO_QUEUE_MAP", port, "tc_to_queue_map", number)
	case ir.FieldGroup:
		return r.entry("TC_TO_PRIORITY_GROUP_MAP", port, "tc_to_pg_map", number)
	case ir.FieldPauses:
		return r.first(r.qos[port], "pfc_enable")
	case ir.FieldRewrite:
		return r.first(r.qos[port], "tc_to_dscp_map", "tc_to_dot1p_map")
	case ir.FieldShaper:
		return r.named("SCHEDULER", r.qos[port], "scheduler", "pir")
	case ir.FieldWatchdog:
		return r.first(r.watched[port], "action", "detection_time")
	case ir.FieldSpeed:
		return r.first(r.cfg.Row("PORT", port), "speed")
	case ir.FieldMTU:
		return r.first(r.cfg.Row("PORT", port), "mtu")
	case ir.FieldAsymmetricPFC:
		return r.first(r.cfg.Row("PORT", port), "pfc_asym")
	case ir.FieldCable:
		v, ok := r.cables[port]
		return r.at(v.At, ok)
	case ir.FieldPool:
		return r.first(r.cfg.Row("BUFFER_POOL", port), "size", "mode", "type")
	case ir.FieldSystem:
		return r.first(r.cfg.Row("DEVICE_METADATA", "localhost"), "hwsku", "platform")
	}
	if index < 0 || index > 7 {
		return at, false
	}
	group, queue, buffer := r.slot("BUFFER_PG", port, index).row, r.slot("QUEUE", port, index).row, r.slot("BUFFER_QUEUE", port, index).row
	switch f {
	case ir.FieldBuffer:
		return r.named("BUFFER_PROFILE", group, "profile", "size")
	case ir.FieldXon:
		return r.named("BUFFER_PROFILE", group, "profile", "xon", "xon_offset")
	case ir.FieldHeadroom:
		return r.named("BUFFER_PROFILE", group, "profile", "xoff")
	case ir.FieldGroupLimit:
		return r.named("BUFFER_PROFILE", group, "profile", "dynamic_th", "static_th")
	case ir.FieldGroupPool:
		return r.named("BUFFER_PROFILE", group, "profile", "pool")
	case ir.FieldStrict:
		return r.named("SCHEDULER", queue, "scheduler", "type")
	case ir.FieldShare:
		return r.named("SCHEDULER", queue, "scheduler", "weight", "type")
	case ir.FieldMinRate:
		return r.named("SCHEDULER", queue, "scheduler", "cir")
	case ir.FieldMaxRate:
		return r.named("SCHEDULER", queue, "scheduler", "pir")
	case ir.FieldMarking:
		return r.named("WRED_PROFILE", queue, "wred_profile", "green_min_threshold", "green_max_threshold", "ecn")
	case ir.FieldUnmarkable:
		return r.named("WRED_PROFILE", queue, "wred_profile", "wred_green_enable")
	case ir.FieldDrop:
		return r.named("WRED_PROFILE", queue, "wred_profile", "green_drop_probability", "wred_green_enable")
	case ir.FieldQueueLimit:
		return r.named("BUFFER_PROFILE", buffer, "profile", "dynamic_th", "static_th")
	case ir.FieldQueuePool:
		return r.named("BUFFER_PROFILE", buffer, "profile", "pool")
	}
	return at, false
}

func (r *reading) at(at int, ok bool) (diag.Range, bool) {
	if !ok || r.in == nil {
		return diag.Range{}, false
	}
	return r.in.place(at), true
}

// first returns the place of the first of some fields that a row has, or else of the row.
func (r *reading) first(row *grammar.Row, fields ...string) (diag.Range, bool) {
	for _, field := range fields {
		if v, ok := row.Field(field); ok {
			return r.at(v.At, true)
		}
	}
	if row == nil {
		return diag.Range{}, false
	}
	return r.at(row.At, true)
}

// named returns the place of a field in a referenced row. If that row is missing, it returns the place of the reference.
func (r *reading) named(table string, row *grammar.Row, by string, fields ...string) (diag.Range, bool) {
	if of := r.cfg.Row(table, row.Get(by)); of != nil {
		return r.first(of, fields...)
	}
	return r.first(row, by)
}

// entry returns the place of a number in the map that a port names.
func (r *reading) entry(table, port, by, number string) (diag.Range, bool) {
	return r.first(r.cfg.Row(table, r.bound(port, by)), number)
}
