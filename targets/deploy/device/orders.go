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
	var changes []*order.Change
	o := &Orders{at: map[string]int{}}
	for _, p := range plans {
		if p.Gate == nil || p.Status != deploy.StatusChange {
			continue
		}
		o.at[p.Device.Name] = len(changes)
		here := run
		here.Key = keyOn(run, p.Device.Name)
		change := NewChange(p).order(here)
		change.Machine = p.Gate.Machine(p.HostKey)
		changes = append(changes, change)
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
	if d.Orders != nil {
		if i, ordered := d.Orders.at[d.Of.Name]; ordered {
			e := d.Orders.tree.Envelope(i)
			e.Statement, e.Signature, e.Contents = d.Orders.statement, d.Orders.signature, c.contents()
			e.Owner, e.About, e.First, e.Later = run.Owner, c.about(run), seconds(t.First), seconds(t.Later)
			return e.Bytes()
		}
	}
	return order.Payload(c.items(run, t))
}
