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

// ECNZero finds marking with thresholds or a probability of 0.
var ECNZero = Rule{
	Topic:  ECNThresholds.Topic,
	theirs: true,
	ports: func(p *pass) {
		for queue := range p.kind.d.Queues {
			zero(p, queue)
		}
	},
}

// zero judges the values of a queue that marks. A threshold of 0 is 0 bytes on one system, and the whole buffer on another
// (opencomputeproject/SAI, saiwred.h: "default to 0").
func zero(p *pass, queue int) {
	q := &p.kind.d.Queues[queue]
	if !is(q.ECN, true) {
		return
	}
	at := p.at(ir.FieldMarking, queue)
	const fix = "State thresholds above 0, such as 150000 and 1500000, with a probability above 0."
	switch least, most := is(q.MarkMin, 0), is(q.MarkMax, 0); {
	case least && most && q.MarkMin.Is == ir.Default && q.MarkMax.Is == ir.Default:
		p.errorf(at, "queue %d marks, and no thresholds are stated. With 0 a chip marks every packet, or none. "+fix, queue)
	case least || most:
		p.errorf(at, "a threshold of marking of queue %d is 0. With 0 a chip marks every packet, also with an empty queue, or none. "+fix, queue)
	case is(q.Probability, 0):
		p.warnf(at, "the probability of marking of queue %d is 0: packets are marked only when the queue is longer than the upper threshold, "+
			"and then all of them. "+fix, queue)
	}
}

// thresholds compares the thresholds of a queue with the memory for it.
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

// marksAfterPauses judges whether a lossless class pauses its senders before it is marked. A group alone in its pool sends a pause at its
// limit.
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
		p.warnf(p.at(ir.FieldMarking, queue), "marking of queue %d begins at %s, and a port pauses cos %d at %s at the latest: traffic that "+
			"comes in by one port is paused before it is marked. Lower the threshold, or give the priority group more of its "+
			"pool.", queue, diag.Bytes(low), cos,
			diag.Bytes(first))
	}
}
