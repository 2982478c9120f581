package session

import (
	"context"
	"math"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/gated"
)

// Devices take the orders of a run for orderTime and the longest time of its waves, and never for longer than mostOrderTime, which the gate
// allows. The end bounds the use of an order that is stolen before the run reaches its device.
const (
	orderTime     = 24 * time.Hour
	mostOrderTime = 7 * orderTime
)

// orderEnd returns when the orders of a run end; nil: its waves are not known.
func orderEnd(now time.Time, waves *deploy.Order) time.Time {
	all := orderTime
	if waves != nil {
		for i := range waves.Waves {
			all += waves.Waves[i].Longest()
		}
	}
	return now.Add(min(all, mostOrderTime))
}

// withGate names the devices of a plan that change and have a gate, or get one.
func withGate(plan *deploy.Plan, get bool) (names []string) {
	for _, d := range plan.Devices {
		if (get || d.Gate != nil) && d.Status == deploy.StatusChange {
			names = append(names, d.Device.Name)
		}
	}
	return names
}

// wantKey refuses a change of devices that have a gate, or get one first, if the person has named no key.
func wantKey(s *Session, plan *deploy.Plan, get, rehearsal bool) error {
	names := withGate(plan, get)
	if len(names) == 0 {
		return nil
	}
	r, err := Rights(s, rehearsal)
	if err != nil {
		return err
	}
	if r.Key == "" {
		return exit.Fail(exit.Usage, "the gate of %s takes only a signed run: name your key with --sign-key, or in %s. Nothing was changed.",
			nodeset.Text(names, nodeset.Devices, math.MaxInt), KeyVariable)
	}
	return nil
}

// signedOrders returns the signed orders of a run for its devices with a gate; nil: no device has one.
func signedOrders(ctx context.Context, s *Session, run deploy.Run, plan *deploy.Plan, waves *deploy.Order, rehearsal bool) (
	*gated.Orders, error,
) {
	o := gated.New(run, orderEnd(s.clock.Now(), waves), plan.Devices)
	if o == nil {
		return nil, nil //nolint:nilnil // there is nothing to sign
	}
	return o, signOrders(ctx, s, o, rehearsal)
}

// signOrders signs orders with the key of the person.
func signOrders(ctx context.Context, s *Session, o *gated.Orders, rehearsal bool) error {
	r, err := Rights(s, rehearsal)
	if err != nil {
		return err
	}
	signature, err := r.Sign(ctx, sshsig.RoleDevice, o.Statement())
	if err != nil {
		return exit.Fail(exit.Machines, "%v. No run has begun.", err)
	}
	o.Sign(signature)
	return nil
}
