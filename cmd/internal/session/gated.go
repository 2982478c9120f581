package session

import (
	"context"
	"math"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
)

// orderTime is how long after the beginning of a run its devices take its orders. It bounds the use of an order that is stolen before the
// run reaches its device.
const orderTime = 24 * time.Hour

// gated names the devices of a plan that change and have a gate.
func gated(plan *deploy.Plan) (names []string) {
	for _, d := range plan.Devices {
		if d.Gate != nil && d.Status == deploy.StatusChange {
			names = append(names, d.Device.Name)
		}
	}
	return names
}

// maySign refuses a change of devices with a gate if the person has named no key.
func maySign(s *Session, plan *deploy.Plan, rehearsal bool) error {
	names := gated(plan)
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

// ordersOf returns the signed orders of a run for its devices with a gate; nil: no device has a gate.
func ordersOf(ctx context.Context, s *Session, run deploy.Run, plan *deploy.Plan, rehearsal bool) (*device.Orders, error) {
	o := device.OrdersOf(run, s.clock.Now().Add(orderTime), plan.Devices)
	if o == nil {
		return nil, nil //nolint:nilnil // there is nothing to sign
	}
	return o, signOrders(ctx, s, o, rehearsal)
}

// signOrders signs orders with the key of the person.
func signOrders(ctx context.Context, s *Session, o *device.Orders, rehearsal bool) error {
	r, err := Rights(s, rehearsal)
	if err != nil {
		return err
	}
	signature, err := r.Sign(ctx, sshsig.RoleDevice, o.Statement())
	if err != nil {
		return exit.Fail(exit.Machines, "%v. Nothing was changed.", err)
	}
	o.Sign(signature)
	return nil
}
