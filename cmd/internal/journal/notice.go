package journal

import (
	"time"

	"github.com/rocec/rocec/targets/deploy"
)

// noticeOf returns what a central record may know of an entry.
func noticeOf(e *entry, now func() time.Time) Notice {
	switch {
	case e.Begin != nil:
		return began("begin", e.Begin)
	case e.Adopt != nil:
		return began("adopt", e.Adopt)
	case e.Line != nil:
		l := e.Line
		return Notice{
			Event: "verb", Time: l.Time, Device: l.Device, Verb: l.Verb, Done: l.Done, Result: l.Result, Mark: l.Mark,
			Warns: l.Done && l.Result != "ok",
		}
	case e.Hook != nil:
		h := e.Hook
		n := Notice{Event: "hook", Time: h.Time, Verb: h.Hook, Wave: h.Wave, Done: h.Done, Warns: h.Detail != ""}
		switch {
		case n.Warns:
			n.Result = "failed"
		case n.Done:
			n.Result = "ok"
		}
		return n
	case e.Outcome != nil:
		o := e.Outcome
		is := deploy.Outcome(o.Outcome)
		good := is == deploy.Applied || is == deploy.Unchanged || is == deploy.Unconfirmed
		return Notice{Event: "outcome", Time: o.Time, Device: o.Device, Outcome: o.Outcome, Warns: !good}
	case e.End != nil:
		return Notice{Event: "end", Time: *e.End}
	default:
		return Notice{Event: "signed", Time: now().UTC(), Signature: e.Signed.Signature}
	}
}

// began returns what a central record may know of a header.
func began(event string, h *Header) Notice {
	n := Notice{
		Event: event, Time: h.Began, Owner: h.Owner, Tool: h.Tool, Fabric: h.Name, Commit: h.Commit, Message: h.Message,
		Undoes: h.Undoes, Hold: h.Hold, Lab: h.Lab != "", Devices: len(h.Devices),
	}
	if h.Adopted != nil {
		n.Time = h.Adopted.At
	}
	return n
}
