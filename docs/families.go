package docs

// Family is a group of codes about one subject.
type Family struct{ Name, Title string }

// Families are the families of codes, in the order of the index: first those about running fabrics, last those about input.
var Families = []Family{
	{"loops", "PFC loops and the routing they depend on"},
	{"flow-control", "PFC and link pause"},
	{"buffers", "Headroom, buffers, cable lengths"},
	{"marking", "ECN, DCQCN and CNPs"},
	{"classes", "Classification of packets: DSCP, PCP, cos"},
	{"bandwidth", "Weights, strict priority, incast"},
	{"mtu", "MTU"},
	{"members", "Intents, members, addresses"},
	{"links", "Cables, ports, bonds, redundancy pairs"},
	{"names", "Names, models, releases"},
	{"language", "The language: files, blocks, values"},
	{"cabling", "Cabling files"},
	{"tables", "Tables of next hops"},
	{"locks", "Pinned sizes (fabric.lock)"},
	{"cumulus", "Cumulus Linux by traffic.conf"},
	{"nvue", "Cumulus Linux by NVUE"},
	{"sonic", "SONiC"},
	{"hosts", "Hosts and their NICs"},
	{"conf-settings", "Files on switches: any system"},
	{"conf", "Files on switches: traffic.conf and datapath.conf"},
	{"conf-nvue", "Files on switches: NVUE"},
	{"conf-sonic", "Files on switches: config_db.json"},
	{"devices", "Plan and apply: a device or the order refuses"},
	{"site", "Plan and apply: the policy of the site refuses"},
	{"seen", "Ports and cables as devices report them"},
	{"claims", "Assumptions of verdicts that devices contradict"},
}

// FamilyTitle returns the title of a family, or "" for an unknown name.
func FamilyTitle(name string) string {
	for _, f := range Families {
		if f.Name == name {
			return f.Title
		}
	}
	return ""
}
