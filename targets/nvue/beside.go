package nvue

import (
	"math/bits"
	"strconv"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nvue/grammar"
)

// judgeBeside reports settings of others that take away resources that rocec's settings give to lossless traffic of the fabric.
func (e *editor) judgeBeside(ds *diag.List) {
	if len(e.profiles) == 0 {
		return
	}
	e.judgeDrops(ds)
	e.judgeBuffers(ds)
}

// judgeDrops refuses early drops of lossless traffic. default-global sets them for ports without a marking profile and for ports with the
// preset.
func (e *editor) judgeDrops(ds *diag.List) {
	said := uint8(0)
	for _, p := range e.ports {
		if p.lossless < 0 || p.ecn >= 0 && !e.keeps {
			continue
		}
		for m := e.profiles[p.lossless].cos &^ said; m != 0; m &= m - 1 {
			cos := bits.TrailingZeros8(m)
			q := e.queue[cos]
			if e.keeps {
				q = grammar.Queue(e.set, cos)
			}
			red, _ := grammar.On(e.set.Get("qos", "congestion-control", global, "traffic-class", strconv.Itoa(q), "red"))
			if !red {
				continue
			}
			said |= 1 << cos
			topicBeside.Errorf(ds, e.w.device.At, "On %s, qos.congestion-control.default-global drops early (red) in traffic class %d. "+
				"By that class lossless priority %d leaves %s and other ports without their own profile. Turn red off (nv set qos "+
				"congestion-control default-global traffic-class %d red %s).", e.w.device.Name, q, cos, p.name, q, e.onOff(grammar.REDOn, false).Value)
		}
	}
}

// judgeBuffers warns of buffer shares that others have set for lossless traffic. The factory sets no limit for lossless egress
// queues, so the pauses that they cause are enough.
func (e *editor) judgeBuffers(ds *diag.List) {
	t := e.set.Get("qos", "advance-buffer-config", global)
	if alpha := t.Get("egress-lossless-buffer", "shared-alpha"); alpha.IsScalar() && alpha.Value != "alpha_infinity" {
		topicBeside.Warnf(ds, e.w.device.At, "On %s, qos.advance-buffer-config limits queues of lossless traffic to %s of their pool "+
			"(egress-lossless-buffer shared-alpha): packets above the limit are dropped. The factory setting is alpha_infinity.",
			e.w.device.Name,
			diag.Escape(alpha.Value))
	}
	if bytes := t.Get("egress-lossless-buffer", "shared-bytes"); bytes != nil {
		topicBeside.Warnf(ds, e.w.device.At, "On %s, qos.advance-buffer-config limits queues of lossless traffic to %s bytes "+
			"(egress-lossless-buffer shared-bytes): packets above the limit are dropped. The factory sets no limit.", e.w.device.Name,
			diag.Escape(bytes.Shown()))
	}
	if alpha := t.Get("ingress-lossless-buffer", "shared-alpha"); alpha.IsScalar() && alpha.Value == "alpha_0" {
		topicBeside.Warnf(ds, e.w.device.At, "On %s, qos.advance-buffer-config gives lossless traffic no share of its pool "+
			"(ingress-lossless-buffer shared-alpha alpha_0): every waiting packet causes a pause. The factory setting is alpha_1.",
			e.w.device.Name)
	}
}
