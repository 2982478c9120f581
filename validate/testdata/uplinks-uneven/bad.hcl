# background: clos

# no mesh.uplinks

link "first" {
  a = "leaf[1-4]:swp31"
  b = "spine1:swp[1-4]"
}

link "second" {
  a = "leaf[1-3]:swp32,leaf4:swp32" # want "uplinks-uneven: leaf4 has 2 uplinks, and they end in one switch; those of most others of switch \"leaf\" end in 2. leaf4:swp32 goes to spine1:swp5"
  b = "spine2:swp[1-3],spine1:swp5"
}
