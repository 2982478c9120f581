# background: rack

roce "nvme" { # no vlan # want "roce-v1-no-vlan: Roce \"nvme\" is version 1 without a vlan"
}
