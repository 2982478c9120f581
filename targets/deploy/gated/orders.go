// Package gated has the signed [Orders] of a run for devices with a gate. It also puts the gate on a device, and takes it away.
package gated

import (
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/order"
)

// Orders has the orders of a run for its devices with a gate, under one signature. A nil Orders has no order.
type Orders struct {
	tree      *order.Tree
	at        map[string]int // by device: its index in the tree
	statement []byte
	signature []byte
}

// New returns the orders of a run for the devices of plans that change and have a gate, until a time; nil: there is no such device. Before
// the run begins, a person signs them.
func New(run deploy.Run, until time.Time, plans []*deploy.DevicePlan) *Orders {
	return orders(run, until, plans, func(p *deploy.DevicePlan) *order.Change {
		if p.Status != deploy.StatusChange {
			return nil
		}
		return device.NewChange(p).Order(run)
	})
}

// Removal returns the orders by which the gates of devices take themselves away. A person signs them.
func Removal(run deploy.Run, until time.Time, plans []*deploy.DevicePlan) *Orders {
	return orders(run, until, plans, func(p *deploy.DevicePlan) *order.Change {
		return &order.Change{Run: run.Name, Key: device.KeyOn(run, p.Device.Name), Owner: run.Owner, Device: p.Device.Name, Remove: true}
	})
}

// orders returns orders for the devices of plans with a gate for which of returns a change.
func orders(run deploy.Run, until time.Time, plans []*deploy.DevicePlan, of func(*deploy.DevicePlan) *order.Change) *Orders {
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

// Of returns the signed part of the order for a device; nil: there is no order for it.
func (o *Orders) Of(device string) *order.Envelope {
	if o == nil {
		return nil
	}
	i, ordered := o.at[device]
	if !ordered {
		return nil
	}
	e := o.tree.Envelope(i)
	e.Statement, e.Signature = o.statement, o.signature
	return e
}
