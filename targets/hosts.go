package targets

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic"
)

// Findings about the NICs of a host, of any driver.
var (
	topicFamily   = diag.Topic{Code: "host-family", Summary: "rocec does not write settings for this NIC"}
	topicNoMember = diag.Topic{Code: "host-not-member", Summary: "NIC at a lossless port that no intent names"}
)

// judgeHost reports the NICs of a host that rocec should write but cannot, and NICs that a switch pauses and rocec does not write.
func (p *part) judgeHost(d *ir.Device) {
	for _, n := range d.Host.NICs {
		if nic.Wanted(n) && !p.table.writes(n.Model.Driver) {
			p.unwrittenNIC(n)
		}
		if n.Port != nil && len(n.Port.Buffers()) > 0 && len(n.Carries()) == 0 {
			p.noMember(n)
		}
	}
}

// writes reports whether a target writes for the NICs of a driver.
func (t Table) writes(d *ir.Driver) bool {
	for _, row := range t {
		if row.Driver == d && row.Render != nil {
			return true
		}
	}
	return false
}

func (p *part) unwrittenNIC(n *ir.NIC) {
	var names, whole []string
	for _, row := range p.table {
		if row.Driver != nil && row.Render != nil {
			names = append(names, row.Driver.Name)
			whole = append(whole, fmt.Sprintf("%s (%s)", row.Driver.Name, row.Driver.Title))
		}
	}
	topicFamily.Errorf(&p.found, n.ModelAt, "The nic %s of the host group %s has the model %s, of the family %s. rocec writes hosts whose "+
		"NICs belong to the %s %s: with another family the host's end of its lossless links would not be "+
		"configured. Use an %s NIC, or set the host up by hand and write a by_hand block.",
		n.Name, n.Device.Group, n.Model.Title, n.Model.Driver.Name, diag.Plural(len(names), "family", "families"), diag.Or(whole), diag.Or(names))
}

func (p *part) noMember(n *ir.NIC) {
	groups := make([]string, len(n.Port.Buffers()))
	for i, b := range n.Port.Buffers() {
		groups[i] = b.Group.Name
	}
	topicNoMember.Warnf(&p.found, n.At, "The nic %s of the host group %s is in no intent, so rocec does not write its settings, but the "+
		"port it is cabled to is lossless for %s. Make it a member of an intent, or set flow control and trust on the host by hand as "+
		"on the switch; otherwise packets are lost between the two.", n.Name, n.Device.Group, diag.And(groups))
}
