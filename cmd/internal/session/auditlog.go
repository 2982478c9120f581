package session

import (
	"fmt"
	"os"

	"github.com/rocec/rocec/cmd/internal/auditlog"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/rights"
	"github.com/rocec/rocec/lang/diag"
)

// feed returns the feed of a central record, and starts it where it is not there.
func feed(s *Session, r *rights.Record) *auditlog.Feed {
	url := r.URL.String()
	if s.feeds[url] == nil {
		s.feeds[url] = auditlog.Open(r.URL, auditlog.Sender{Host: HostName(), PID: os.Getpid(), Owner: s.Owner()})
	}
	return s.feeds[url]
}

// recorded connects to the central records before a change. A record that cannot be reached is a warning. Where a policy asks for it, it
// refuses a new change; going back needs no record.
func recorded(s *Session, r *rights.Rights, back bool) error {
	for i := range r.Records {
		one := &r.Records[i]
		err := feed(s, one).Reached()
		switch {
		case err == nil:
		case one.Policy != "" && !back:
			return exit.Fail(exit.Machines, "the policy %s wants events in the central record %s, which cannot be reached: %v. Nothing was changed.",
				one.Policy, one.URL.String(), err)
		default:
			s.WarnOnce(exit.Fail(exit.Good, "the central record %s cannot be reached: %v. The run goes on, and its journal has all events.",
				one.URL.String(), err))
		}
	}
	return nil
}

// EndAuditLog waits a few seconds until the central records have their events, and reports those that they did not get.
func EndAuditLog(s *Session) {
	for url, one := range s.feeds {
		delete(s.feeds, url)
		t := one.Close()
		if t.Dropped == 0 {
			continue
		}
		why := "it was too slow"
		if t.Err != nil {
			why = t.Err.Error()
		}
		fmt.Fprintf(s.Stderr, "rocec: the central record %s did not get %d of %s: %s. The journal has all of them.\n",
			diag.Escape(url), t.Dropped, diag.Count(t.Events, "event"), diag.Escape(why))
	}
}
