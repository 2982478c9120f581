package bnxt

import (
	"sync"

	"github.com/rocec/rocec/compiler/ir"
)

// notKnown is the value of the firmware of each parameter: no document states it.
const notKnown = -1

// parameterSource is the source of the ranges: the widths of the fields of the command to the firmware (cmdq_modify_roce_cc), to which the
// driver cuts a larger number off without a message (g_store and others of configfs.c).
const parameterSource = "Broadcom's driver 233.2: README.TXT of bnxt_re, configfs.c, roce_hsi.h"

// parameters returns the table of the driver: those files of congestion control in configfs whose values the file apply shows on every
// card. The README of bnxt_re describes how to set and read them back, and names no units, ranges or factory values. Their effects are the
// words that apply prints beside their names.
//
// The other files have no place in the table. Apply shows rtt and most of the extended parameters only after a write to the file advanced,
// which changes what the driver prints for everyone, and no document states their ranges.
var parameters = sync.OnceValue(func() *ir.NICTable {
	const most16 = 1<<16 - 1
	return &ir.NICTable{DCQCN: []*ir.NICParameter{
		{Name: "cc_mode", By: "ecn of the cos group: DCQCN-P"},
		{Name: "cnp_dscp", By: "cnp of the intent: the first DSCP of its group"},
		{Name: "cnp_prio", By: "cnp of the intent: the cos of its group"},
		{Name: "ecn_enable", By: "ecn of the cos group"},
		{Name: "ecn_marking", By: "ecn of the cos group"},
		{Name: "g", Most: 1<<8 - 1, Factory: notKnown, Does: "the weight of the running average", Source: parameterSource},
		{Name: "inact_th", Most: most16, Unit: "us", Factory: notKnown, Does: "the inactivity threshold", Source: parameterSource},
		{Name: "init_cr", Most: most16, Factory: notKnown, Does: "the current rate at the start of a flow", Source: parameterSource},
		{Name: "init_tr", Most: most16, Factory: notKnown, Does: "the target rate at the start of a flow", Source: parameterSource},
		{Name: "roce_dscp", By: "the cos group of the intent: its first DSCP"},
		{Name: "roce_prio", By: "the cos group of the intent: its cos"},
	}}
})
