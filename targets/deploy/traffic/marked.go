package traffic

import (
	"fmt"

	"github.com/rocec/rocec/targets/target"
)

// Stage contains the answers of both hosts to [NoticeQuery], before and after one exchange.
type Stage struct{ FromBefore, FromAfter, ToBefore, ToAfter []byte }

// Stages are the three exchanges of a proof of marking: with the former threshold, with the low one, and with the former one again. A nil
// stage was not sent.
type Stages struct{ High, Low, Back *Stage }

// Proved names the parts of a proof in its sentences.
type Proved struct {
	From, To, Queue string
	Low             int // bytes
}

// Marked is the result of a test of marking.
type Marked struct {
	Marked  uint64 // marked packets that reached the receiver while the threshold was low
	Sent    uint64 // notifications that the receiver sent meanwhile
	Handled uint64 // notifications after which the sender slowed down meanwhile
	Verdict target.Verdict
	Says    string
}

// Good reports whether marking is proved.
func (r *Marked) Good() bool { return r.Verdict == target.Holds }

// Judge compares the counters of both hosts before and after each exchange.
func (m *Marking) Judge(s Stages) Marked {
	x := m.Exchange
	return JudgeMarks(s, Proved{x.From.Device.Name, x.To.Device.Name, m.Queue.String(), m.Low.Min.N})
}

// JudgeMarks compares the counters of both hosts before and after each exchange. Marks with a low threshold prove marking only if no packet
// of the same exchange is marked with the former threshold, before and after. A counter that always rises proves nothing, and neither does
// a switch that keeps the low threshold.
func JudgeMarks(s Stages, p Proved) Marked {
	r := Marked{Verdict: target.NotDecided}
	var ok1, ok2, ok3 bool
	if s.Low != nil {
		r.Marked, ok1 = rose(s.Low.ToBefore, s.Low.ToAfter, notifications.marked)
		r.Sent, ok2 = rose(s.Low.ToBefore, s.Low.ToAfter, notifications.sent)
		r.Handled, ok3 = rose(s.Low.FromBefore, s.Low.FromAfter, notifications.handled)
	}
	high, ok4 := s.High.marks()
	back, ok5 := s.Back.marks()
	switch {
	case s.High == nil || s.Low == nil:
		r.Says = "The exchange was not sent."
	case !ok1 || !ok2 || !ok4:
		r.Says = p.To + " does not count marks and notifications: nothing is proved."
	case !ok3:
		r.Says = p.From + " does not count notifications: nothing is proved."
	case high > 0:
		r.Says = fmt.Sprintf("%s with a mark reached %s before the threshold was low, so that a mark proves nothing.",
			target.Count(high, "packet"), p.To)
	case r.Marked == 0:
		r.Says = fmt.Sprintf("No packet reached %s with a mark: %s marks nothing, or its queue never held %d bytes.", p.To, p.Queue, p.Low)
	case r.Sent == 0:
		r.Says = fmt.Sprintf("%s reached %s with a mark, and it sent no notification.", target.Count(r.Marked, "packet"), p.To)
	case r.Handled == 0:
		r.Says = fmt.Sprintf("%s sent %s, and %s acted on none.", p.To, target.Count(r.Sent, "notification"), p.From)
	case s.Back == nil || !ok5:
		r.Says = "No exchange was counted with the former threshold afterwards, so that it is not known whether the switch uses it again."
	case back > 0:
		r.Verdict = target.DoesNotHold
		r.Says = fmt.Sprintf("%s with a mark reached %s after the undo: %s still uses the low threshold.", target.Count(back, "packet"), p.To,
			p.Queue)
	default:
		r.Verdict = target.Holds
		r.Says = fmt.Sprintf("%s marks, %s notifies, and %s slows down.", p.Queue, p.To, p.From)
	}
	return r
}

// marks returns the number of marked packets of a stage. ok reports whether the receiver counts them.
func (s *Stage) marks() (n uint64, ok bool) {
	if s == nil {
		return 0, false
	}
	return rose(s.ToBefore, s.ToAfter, notifications.marked)
}

// rose returns by how much a counter rose between two answers. ok reports whether both have it.
func rose(before, after []byte, name string) (n uint64, ok bool) {
	was, ok1 := ReadNotices(before)[name]
	now, ok2 := ReadNotices(after)[name]
	if now < was { // the counter was reset
		was = 0
	}
	return now - was, ok1 && ok2
}
