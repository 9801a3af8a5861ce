# Units as other compilers than gcc write them.
# 1: names through .debug_str_offsets (strx), abbreviation codes that are neither consecutive nor
# in order, no DW_AT_sibling;
#    a name that is inline and short, and one that is the tail of another string.
# 2: a unit of another language.
        .section .debug_abbrev,"",@progbits
.Labbrev:
        .uleb128 900, 0x11              # DW_TAG_compile_unit
        .byte 1
        .uleb128 0x13, 0x0b             # DW_AT_language data1
        .uleb128 0x72, 0x17             # DW_AT_str_offsets_base sec_offset
        .uleb128 0, 0
        .uleb128 7, 0x13                # DW_TAG_structure_type
        .byte 1
        .uleb128 0x03, 0x25             # DW_AT_name strx1
        .uleb128 0x0b, 0x0b             # DW_AT_byte_size data1
        .uleb128 0, 0
        .uleb128 70000, 0x0d            # DW_TAG_member
        .byte 0
        .uleb128 0x03, 0x1a             # DW_AT_name strx
        .uleb128 0x49, 0x13             # DW_AT_type ref4
        .uleb128 0x38, 0x0b             # DW_AT_data_member_location data1
        .uleb128 0, 0
        .uleb128 3, 0x24                # DW_TAG_base_type
        .byte 0
        .uleb128 0x03, 0x08             # DW_AT_name string
        .uleb128 0x0b, 0x0b
        .uleb128 0, 0
        .uleb128 8, 0x13                # DW_TAG_structure_type
        .byte 1
        .uleb128 0x03, 0x08             # DW_AT_name string
        .uleb128 0x0b, 0x0b
        .uleb128 0, 0
        .uleb128 71000, 0x0d            # DW_TAG_member
        .byte 0
        .uleb128 0x03, 0x08
        .uleb128 0x49, 0x13
        .uleb128 0x38, 0x0f             # DW_AT_data_member_location udata
        .uleb128 0, 0
        .uleb128 9, 0x13                # DW_TAG_structure_type
        .byte 1
        .uleb128 0x03, 0x0e             # DW_AT_name strp
        .uleb128 0x0b, 0x0b
        .uleb128 0, 0
        .uleb128 72000, 0x0d            # DW_TAG_member
        .byte 0
        .uleb128 0x03, 0x0e             # DW_AT_name strp
        .uleb128 0x49, 0x13
        .uleb128 0x38, 0x18             # DW_AT_data_member_location exprloc
        .uleb128 0, 0
        .uleb128 12, 0x13               # DW_TAG_structure_type, a declaration
        .byte 0
        .uleb128 0x03, 0x08
        .uleb128 0x3c, 0x19             # DW_AT_declaration flag_present
        .uleb128 0, 0
        .uleb128 0

        .section .debug_str,"MS",@progbits,1
.Lindexed:      .string "odd_indexed"
.Lfirst:        .string "indexed_first"
.Lsecond:       .string "indexed_second"
.Ltail:         .string "tail_of_odd_expression"
.Lby:           .string "by_expression"

        .section .debug_str_offsets,"",@progbits
        .long .Loffsets_end - .Loffsets_start
.Loffsets_start:
        .2byte 5, 0
.Loffsets:
        .long .Lsecond
        .long .Lindexed
        .long .Lfirst
.Loffsets_end:

        .section .debug_info,"",@progbits
.Lunit:
        .long .Lunit_end - .Lunit_start
.Lunit_start:
        .2byte 5
        .byte 1, 8                      # DW_UT_compile, address size
        .long .Labbrev
        .uleb128 900
        .byte 0x1d                      # DW_LANG_C11
        .long .Loffsets
        .uleb128 12                     # a declaration before the definition
        .string "odd_indexed"
        .uleb128 7
        .byte 1, 24                     # odd_indexed
        .uleb128 70000
        .uleb128 2                      # indexed_first
        .long .Lbase - .Lunit
        .byte 0
        .uleb128 70000
        .uleb128 0                      # indexed_second
        .long .Lbase - .Lunit
        .byte 16
        .uleb128 0
.Lbase: .uleb128 3
        .string "odd_int"
        .byte 4
        .uleb128 8
        .string "odd"
        .byte 3
        .uleb128 71000
        .string "in"
        .long .Lbase - .Lunit
        .uleb128 2
        .uleb128 0
        .uleb128 9
        .long .Ltail + 8                # odd_expression
        .byte 40
        .uleb128 72000
        .long .Lby
        .long .Lbase - .Lunit
        .uleb128 2
        .byte 0x23                      # DW_OP_plus_uconst
        .uleb128 33
        .uleb128 0
        .uleb128 0
.Lunit_end:
        .long .Lother_end - .Lother_start
.Lother_start:
        .2byte 5
        .byte 1, 8
        .long .Labbrev
        .uleb128 900
        .byte 0x09                      # DW_LANG_Pascal83
        .long .Loffsets
        .uleb128 8
        .string "odd_pascal"
        .byte 3
        .uleb128 0
        .uleb128 0
.Lother_end:
        .section .note.GNU-stack,"",@progbits
