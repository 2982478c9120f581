package deploy

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
)

// EffectKind is the kind of an effect on traffic; its text is that of the JSON.
type EffectKind string

// The kinds of effects, in the order they are shown: those that can lose packets first.
const (
	LosslessEnds    EffectKind = "lossless-ends"
	LosslessBegins  EffectKind = "lossless-begins"
	PauseDirection  EffectKind = "pause-direction" // a port begins or ceases to send or to obey pauses of a cos that stays lossless
	HeadroomChanges EffectKind = "headroom"
	TrustChanges    EffectKind = "trust"
	ValuesMove      EffectKind = "map"
	RewriteChanges  EffectKind = "rewrite" // outgoing packets have fields rewritten, or no longer
	ECNChanges      EffectKind = "ecn"
	SharesChange    EffectKind = "scheduling"
	LimitsChange    EffectKind = "limit" // of buffers and rates, and the pools behind them
	WatchdogChanges EffectKind = "watchdog"
)

var effectKinds = []EffectKind{
	LosslessEnds, LosslessBegins, PauseDirection, HeadroomChanges, TrustChanges, ValuesMove, RewriteChanges, ECNChanges, SharesChange,
	LimitsChange, WatchdogChanges,
}

// Order returns the position of a kind in the list of kinds.
func (k EffectKind) Order() int { return slices.Index(effectKinds, k) }

// Shift is the change of a value of ports. Values have the spelling of the JSON: "sent and obeyed", "on", "20", "alpha 2^-6".
type Shift struct {
	Kind   EffectKind
	Action Action // Create: it begins; Delete: it ends; Update: it changes
	Field  ir.Field
	Of     string // owner of the value: "cos 3", "queues 0-2", "DSCP 24-25"; empty: the port
	Before string // empty: not known, or several
	After  string
	Rises  bool // a size becomes larger, or strict priority begins
}

// Effect is one change that affects traffic of a device, with its ports.
type Effect struct {
	Shift
	Ports   []string // in natural order; nil with All or Others: not listed
	All     bool     // every port of the device
	Others  bool     // every port that the files do not name
	Foreign bool     // the ports are not in the fabric
}

// String returns the effect in words: "lossless cos 4 ends on swp[5-32] (28 ports; not in this fabric)".
func (e Effect) String() string {
	switch {
	case e.All:
		return e.What() + " on all ports"
	case e.Others:
		return e.What() + " on all other ports (not in this fabric)"
	}
	var more []string
	if len(e.Ports) > 1 {
		more = append(more, diag.Count(len(e.Ports), "port"))
	}
	if e.Foreign {
		more = append(more, "not in this fabric")
	}
	text := e.What() + " on " + nodeset.Text(e.Ports, nodeset.Interfaces, math.MaxInt)
	if len(more) > 0 {
		text += " (" + strings.Join(more, "; ") + ")"
	}
	return text
}

// What returns the changing value and its change: "lossless cos 4 ends".
func (s Shift) What() string {
	comes := "changes"
	switch s.Action {
	case Create:
		comes = "begins"
	case Delete:
		comes = "ends"
	}
	grows := "shrinks"
	if s.Rises {
		grows = "grows"
	}
	many := strings.ContainsAny(s.Of, "-,") || s.Of == untrusted
	verb := func(one, more string) string {
		if many {
			return more
		}
		return one
	}
	switch {
	case s.Field == ir.FieldLinkPause:
		return "link pause " + comes
	case s.Kind == LosslessBegins && s.After != bothWays:
		return fmt.Sprintf("lossless %s begins in one direction (pauses are %s and not %s)", s.Of, s.After, theOther(s.After))
	case s.Kind == LosslessEnds || s.Kind == LosslessBegins:
		return fmt.Sprintf("lossless %s %s", s.Of, comes)
	case s.Field != ir.FieldPauses && s.Kind == PauseDirection:
		return fmt.Sprintf("%s goes from %s to %s", s.Field, s.Before, s.After)
	case s.Kind == PauseDirection && s.After == bothWays:
		return fmt.Sprintf("%s pauses of %s begins", acting(theOther(s.Before)), s.Of)
	case s.Kind == PauseDirection && s.Before == bothWays:
		return fmt.Sprintf("%s pauses of %s ends", acting(theOther(s.After)), s.Of)
	case s.Kind == PauseDirection:
		return fmt.Sprintf("%s goes from %s pauses to %s them", s.Of, acting(s.Before), acting(s.After))
	case s.Field == ir.FieldHeadroom:
		return fmt.Sprintf("headroom %s from %s to %s", grows, s.Before, s.After)
	case s.Kind == TrustChanges:
		return fmt.Sprintf("trust in %s %s", s.Of, comes)
	case s.Kind == ValuesMove && s.Before == "" && s.Of != "":
		return fmt.Sprintf("%s %s to %s", s.Of, verb("moves", "move"), s.After)
	case s.Kind == ValuesMove && s.Of != "":
		return fmt.Sprintf("%s %s from %s to %s", s.Of, verb("moves", "move"), s.Before, s.After)
	case s.Kind == RewriteChanges:
		return fmt.Sprintf("rewriting of %s %s", s.Of, comes)
	case s.Field == ir.FieldMarking && s.Action != Update:
		return fmt.Sprintf("ECN of %s %s", s.Of, comes)
	case s.Field == ir.FieldMarking && s.Of == "":
		return fmt.Sprintf("ECN thresholds go from %s to %s", s.Before, s.After)
	case s.Field == ir.FieldStrict && s.Rises:
		return fmt.Sprintf("%s %s strict", s.Of, verb("becomes", "become"))
	case s.Field == ir.FieldStrict:
		return fmt.Sprintf("%s %s strict no more: %s", s.Of, verb("is", "are"), s.After)
	case s.Field == ir.FieldShare:
		return fmt.Sprintf("%s %s from DWRR share %s to %s", s.Of, verb("goes", "go"), s.Before, s.After)
	case s.Kind == WatchdogChanges && s.Action == Create:
		return fmt.Sprintf("%s begins (%s)", s.Field, s.After)
	case s.Kind == WatchdogChanges && s.Action == Delete:
		return fmt.Sprintf("%s ends", s.Field)
	case s.Of != "":
		return fmt.Sprintf("%s (%s) goes from %s to %s", s.Field, s.Of, s.Before, s.After)
	}
	return fmt.Sprintf("%s goes from %s to %s", s.Field, s.Before, s.After)
}

// Values of effects.
const (
	bothWays  = "sent and obeyed"
	untrusted = "packets without a trusted field"
)

// theOther returns the word for the opposite direction of pauses: obeyed for sent, and sent for obeyed.
func theOther(pauses string) string {
	if pauses == "sent" {
		return "obeyed"
	}
	return "sent"
}

// acting returns the verb for a direction of pauses: sending or obeying.
func acting(pauses string) string {
	if pauses == "sent" {
		return "sending"
	}
	return "obeying"
}
