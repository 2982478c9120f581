package device

import (
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/order"
)

// Orders has the orders of a run for its devices with a gate, under one signature.
type Orders struct {
	tree      *order.Tree
	at        map[string]int // by device: its index in the tree
	statement []byte
	signature []byte
}

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

// Statement returns the text that a person signs.
func (o *Orders) Statement() []byte { return o.statement }

// Sign keeps the signature over the statement.
func (o *Orders) Sign(signature []byte) { o.signature = signature }

// Len returns the number of devices.
func (o *Orders) Len() int { return len(o.at) }

// payload returns what prepare sends to a device: the order for its gate, or all files of the run.
func (d *Device) payload(run deploy.Run, c *Change, t Timers) []byte {
	if e := d.envelope(); e != nil {
		e.Contents = c.contents()
		e.About, e.First, e.Later = c.about(run), seconds(t.First), seconds(t.Later)
		return e.Bytes()
	}
	return order.Payload(c.items(run, t))
}

// envelope returns the signed part of the order for the device; nil: there is none.
func (d *Device) envelope() *order.Envelope {
	if d.Orders == nil {
		return nil
	}
	i, ordered := d.Orders.at[d.Of.Name]
	if !ordered {
		return nil
	}
	e := d.Orders.tree.Envelope(i)
	e.Statement, e.Signature = d.Orders.statement, d.Orders.signature
	return e
}
