/** XML schema of sitemaps and sitemap indexes, after the rules of sitemaps.org. */
export const SITEMAP_SCHEMA = `<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
    targetNamespace="http://www.sitemaps.org/schemas/sitemap/0.9" elementFormDefault="qualified">
  <xs:element name="urlset">
    <xs:complexType>
      <xs:sequence><xs:element name="url" type="place" maxOccurs="50000"/></xs:sequence>
    </xs:complexType>
  </xs:element>
  <xs:element name="sitemapindex">
    <xs:complexType>
      <xs:sequence><xs:element name="sitemap" type="place" maxOccurs="50000"/></xs:sequence>
    </xs:complexType>
  </xs:element>
  <xs:complexType name="place">
    <xs:sequence>
      <xs:element name="loc">
        <xs:simpleType>
          <xs:restriction base="xs:anyURI">
            <xs:minLength value="12"/>
            <xs:maxLength value="2048"/>
            <xs:pattern value="https?://[!-~]+"/>
          </xs:restriction>
        </xs:simpleType>
      </xs:element>
      <xs:element name="lastmod" minOccurs="0">
        <xs:simpleType><xs:union memberTypes="xs:date xs:dateTime"/></xs:simpleType>
      </xs:element>
    </xs:sequence>
  </xs:complexType>
</xs:schema>`;

/** XML schema of the Atom feed: the elements of RFC 4287 that the feed uses, once each and in its order. */
export const ATOM_SCHEMA = `<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"
    xmlns="http://www.w3.org/2005/Atom" xmlns:atom="http://www.w3.org/2005/Atom"
    targetNamespace="http://www.w3.org/2005/Atom" elementFormDefault="qualified">
  <xs:element name="feed">
    <xs:complexType>
      <xs:sequence>
        <xs:element name="id" type="iri"/>
        <xs:element name="title" type="text"/>
        <xs:element name="updated" type="date"/>
        <xs:element name="author">
          <xs:complexType><xs:sequence><xs:element name="name" type="xs:string"/></xs:sequence></xs:complexType>
        </xs:element>
        <xs:element name="link" type="link" minOccurs="2" maxOccurs="2"/>
        <xs:element name="entry" type="entry" minOccurs="0" maxOccurs="unbounded"/>
      </xs:sequence>
    </xs:complexType>
    <xs:unique name="everyIdOnce"><xs:selector xpath="atom:entry"/><xs:field xpath="atom:id"/></xs:unique>
    <xs:unique name="everyRelationOnce"><xs:selector xpath="atom:link"/><xs:field xpath="@rel"/></xs:unique>
  </xs:element>
  <xs:complexType name="entry">
    <xs:sequence>
      <xs:element name="id" type="iri"/>
      <xs:element name="title" type="text"/>
      <xs:element name="link" type="link"/>
      <xs:element name="published" type="date"/>
      <xs:element name="updated" type="date"/>
      <xs:element name="category" minOccurs="0">
        <xs:complexType><xs:attribute name="term" type="xs:NCName" use="required"/></xs:complexType>
      </xs:element>
      <xs:element name="content" type="text"/>
    </xs:sequence>
  </xs:complexType>
  <xs:complexType name="text">
    <xs:simpleContent>
      <xs:extension base="xs:string"><xs:attribute name="type" fixed="text" use="required"/></xs:extension>
    </xs:simpleContent>
  </xs:complexType>
  <xs:complexType name="link">
    <xs:attribute name="rel" use="required">
      <xs:simpleType>
        <xs:restriction base="xs:string"><xs:enumeration value="self"/><xs:enumeration value="alternate"/></xs:restriction>
      </xs:simpleType>
    </xs:attribute>
    <xs:attribute name="type" type="xs:string" use="required"/>
    <xs:attribute name="href" type="iri" use="required"/>
  </xs:complexType>
  <xs:simpleType name="iri">
    <xs:restriction base="xs:anyURI"><xs:pattern value="(https?|urn):[!-~]+"/></xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="date">
    <xs:restriction base="xs:dateTime"><xs:pattern value="[^T]+T[^T]+Z"/></xs:restriction>
  </xs:simpleType>
</xs:schema>`;
