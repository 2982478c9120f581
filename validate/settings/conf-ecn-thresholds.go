package settings

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// ECNThresholds finds marking that never begins, or that begins after pauses.
var ECNThresholds = Rule{
	Topic: diag.Topic{Code: "conf-ecn-thresholds", Summary: "ECN thresholds that cannot work"},
	ports: func(p *pass) {
		for queue := range p.kind.d.Queues {
			p.thresholds(queue)
		}
		p.pfc(func(cos, queue, group int) {
			if queue >= 0 && group >= 0 {
				p.marksAfterPauses(cos, queue, group)
			}
		})
	},
}

// thresholds judges those of a queue by themselves, as the chip takes them.
func (p *pass) thresholds(queue int) {
	q := &p.kind.d.Queues[queue]
	low, isLow := known(q.MarkMin)
	if !is(q.ECN, true) {
		return
	}
	size, what := p.memoryOf(q.Pool)
	if isLow && size > 0 && low > size {
		p.warnf(p.at(ir.FieldMarking, queue), "marking of queue %d begins at %s, and %s has %s: no queue gets that long.", queue, diag.Bytes(low),
			what, diag.Bytes(size))
	}
}

// marksAfterPauses judges whether a lossless class pauses its senders before it is marked: a group alone in its pool asks for a pause at
// its limit.
func (p *pass) marksAfterPauses(cos, queue, group int) {
	q, g := &p.kind.d.Queues[queue], &p.kind.d.Groups[group]
	low, isLow := known(q.MarkMin)
	first, ok := p.firstPause(g)
	if !is(q.ECN, true) || !isLow || !ok {
		return
	}
	if chip := p.chip(); chip != nil {
		low = chip.Threshold(low)
	}
	if low >= first {
		p.warnf(p.at(ir.FieldMarking, queue), "marking of queue %d begins at %s, and a port asks for a pause of cos %d at %s at the "+
			"latest: what comes in by one port is paused before it is marked. Lower the threshold, or give the priority group more of its "+
			"pool.", queue, diag.Bytes(low), cos,
			diag.Bytes(first))
	}
}
