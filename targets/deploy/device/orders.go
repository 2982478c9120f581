package device

import (
	"github.com/rocec/rocec/targets/deploy/order"
)

// Orders has the orders of a run for its devices with a gate, under one signature.
type Orders struct {
	tree      *order.Tree
	at        map[string]int // by device: its index in the tree
	statement []byte
	signature []byte
}

// Statement returns the text that a person signs.
func (o *Orders) Statement() []byte { return o.statement }

// Sign keeps the signature over the statement.
func (o *Orders) Sign(signature []byte) { o.signature = signature }

// Len returns the number of devices.
func (o *Orders) Len() int { return len(o.at) }

// envelope returns the signed part of the order for a device; nil: the device has no order.
func (o *Orders) envelope(device string) *order.Envelope {
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
