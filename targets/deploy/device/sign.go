package device

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/order"
)

// OrdersOf returns the orders of a run for the devices of a plan that change and have a gate, until a time; nil: there is no such device.
// Before the run begins, a person signs them.
func OrdersOf(run deploy.Run, until time.Time, plans []*deploy.DevicePlan) *Orders {
	return ordersOf(run, until, plans, func(p *deploy.DevicePlan) *order.Change {
		if p.Status != deploy.StatusChange {
			return nil
		}
		here := run
		here.Key = keyOn(run, p.Device.Name)
		return NewChange(p).order(here)
	})
}

// ordersOf returns orders for the devices of plans with a gate, of which of returns the change; nil: none.
func ordersOf(run deploy.Run, until time.Time, plans []*deploy.DevicePlan, of func(*deploy.DevicePlan) *order.Change) *Orders {
	var changes []*order.Change
	o := &Orders{at: map[string]int{}}
	for _, p := range plans {
		if p.Gate == nil {
			continue
		}
		if change := of(p); change != nil {
			o.at[p.Device.Name] = len(changes)
			change.Machine = p.Gate.Machine(p.HostKey)
			changes = append(changes, change)
		}
	}
	if len(changes) == 0 {
		return nil
	}
	o.tree = order.NewTree(changes)
	o.statement = (&order.Statement{Run: run.Name, Until: until.Truncate(time.Second), Root: o.tree.Root()}).Text()
	return o
}

// RemovalOf returns the order by which a gate takes itself away, for the device of a plan. A person signs it.
func RemovalOf(run deploy.Run, until time.Time, plans []*deploy.DevicePlan) *Orders {
	return ordersOf(run, until, plans, func(p *deploy.DevicePlan) *order.Change {
		return &order.Change{Run: run.Name, Key: keyOn(run, p.Device.Name), Device: p.Device.Name, Remove: true}
	})
}

// payload returns what prepare sends to a device: the order for its gate, or all files of the run.
func payload(d *Device, run deploy.Run, c *Change, t Timers) []byte {
	if e := d.Orders.envelope(d.Of.Name); e != nil {
		e.Contents = c.contents()
		e.Owner, e.About, e.First, e.Later = run.Owner, c.about(run), seconds(t.First), seconds(t.Later)
		return e.Bytes()
	}
	return order.Payload(c.items(run, t))
}

// keyOn returns the key of a run on a device.
func keyOn(run deploy.Run, device string) string {
	if key := run.Keys[device]; key != "" {
		return key
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(run.Key+" "+device)))[:16]
}
