package bnxt

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic"
)

// judge reports what a NIC cannot do. The number of lossless classes is a limit in the abilities of the driver, which every check knows.
func judge(ds *diag.List, n *ir.NIC) {
	nic.JudgeIntents(ds, n)
	nic.JudgeOptions(ds, n)
	judgeParameters(ds, n)
}

// judgeParameters reports parameters without an effect. Those of the table cannot contradict the fabric.
func judgeParameters(ds *diag.List, n *ir.NIC) { nic.JudgeParameters(ds, n, nil) }
