package settings

import (
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// slowest is the longest useful delay of a watchdog: an RDMA connection fails after some seconds, with its retries.
const slowest = 5 * time.Second

// WatchdogIdle finds watchdogs that never act on paused queues.
var WatchdogIdle = Rule{
	Topic: diag.Topic{Code: "conf-watchdog-idle", Summary: "the PFC watchdog does not act on what is paused"},
	ports: func(p *pass) {
		w := &p.kind.d.Watchdog
		action, ok := known(w.Action)
		if !ok || action == ir.WatchdogOff || p.kind.lossless == 0 || p.kind.s.LinkPause {
			return
		}
		if action == ir.WatchdogAlert {
			p.warnf(p.at(ir.FieldWatchdog, 0), "the PFC watchdog only reports: a queue that does not resume stays paused, and so do its "+
				"senders. Let it drop or forward.")
		}
		if is(w.Watches, 0) {
			p.warnf(p.at(ir.FieldWatchdog, 0), "the PFC watchdog watches no priority, and PFC is on for %s: a storm stops the port, and "+
				"nothing ends "+
				"it. Let it watch the priorities with PFC.", priorities(p.kind.lossless))
		}
		if detect, ok := known(w.Detect); ok && detect > slowest {
			p.warnf(p.at(ir.FieldWatchdog, 0), "the PFC watchdog acts after %s: RDMA connections fail before it does.", detect)
		}
	},
}
