package view

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
)

// pending names the devices that cannot be changed now, by the reason, and since which run.
func (v *Plan) pending(p *deploy.Plan, debts map[string]Debt) {
	var reasons Texts
	for _, d := range p.Devices {
		if d.Status == deploy.StatusOthers {
			continue
		}
		why := d.Waits.String()
		owed, known := debts[d.Device.Name]
		if d.Status != deploy.StatusPending && (!known || d.Status == deploy.StatusSame) {
			continue
		}
		if known {
			if why == "" {
				why = "was " + owed.Why
			}
			why = fmt.Sprintf("%s, since run %s of %s", why, owed.Run, owed.Since.Format(time.DateOnly))
		}
		reasons.Add(why, d.Device.Name)
	}
	for _, why := range reasons.All {
		v.Prose(v.Paint(diag.Yellow, "pending:")+" ", nodeset.Text(reasons.Of[why], nodeset.Devices, math.MaxInt)+" ("+why+")")
	}
}

// pendingText counts devices that cannot be changed now.
func pendingText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d pending", n)
}

// gone names hosts that may still have settings of rocec, although they are no longer in the fabric or are now set by hand. Runs have
// changed them, or should have.
func (v *Plan) gone() {
	if v.Fabric == nil {
		return
	}
	has := map[string]*ir.Device{}
	for _, d := range v.Fabric.Devices {
		has[d.Name] = d
	}
	var away, byHand []string
	for name := range v.Changed {
		if d := has[name]; d != nil && d.ByHand != nil {
			byHand = append(byHand, name)
		} else if _, owed := v.Debts[name]; d == nil && !owed {
			away = append(away, name)
		}
	}
	for name := range v.Debts {
		if has[name] == nil {
			away = append(away, name)
		}
	}
	for _, of := range []struct {
		names []string
		why   string
	}{
		{away, "not in the fabric any more, and may still have settings of rocec"},
		{byHand, "set by hand now, and may still have settings of rocec"},
	} {
		if slices.Sort(of.names); len(of.names) > 0 {
			text := nodeset.Text(of.names, nodeset.Devices, 200)
			v.Prose(v.Paint(diag.Yellow, "pending:")+" ", text+" ("+of.why+"); set back: "+removeCommand(of.names))
		}
	}
}

// removeCommand returns the command that sets hosts back. For very many hosts the person must add the names.
func removeCommand(names []string) string {
	sets, more := nodeset.Few(names, nodeset.Devices, 200)
	word := diag.Kind("HOST")
	if more == 0 {
		word = diag.Arg("HOST", strings.Join(sets, ","))
	}
	return diag.Rocec("apply", diag.Flag("--remove", word))
}
