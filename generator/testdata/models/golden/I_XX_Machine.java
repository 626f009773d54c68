package com.example.demo.model;

import java.math.BigDecimal;
import java.sql.Timestamp;
import org.compiere.model.*;
import org.compiere.util.KeyNamePair;

/**
 * Interface of XX_Machine: Machine &lt;tool&gt;. Machines in our halls, see *&#47; and {&#64;link}
 */
@SuppressWarnings("all")
public interface I_XX_Machine
{

    /** TableName=XX_Machine */
    public static final String Table_Name = "XX_Machine";

    /** AD_Table_ID, which every installation numbers on its own */
    public static final int Table_ID = MTable.getTable_ID(Table_Name);

    KeyNamePair Model = new KeyNamePair(Table_ID, Table_Name);

    /** AccessLevel = 3 - Client - Org */
    BigDecimal accessLevel = BigDecimal.valueOf(3);

	/** Column name AD_Client_ID */
	public static final String COLUMNNAME_AD_Client_ID = "AD_Client_ID";

	/** Get Tenant.
	  */
	public int getAD_Client_ID();

	/** Column name AD_Language */
	public static final String COLUMNNAME_AD_Language = "AD_Language";

	/** Set Language.
	  */
	public void setAD_Language (String AD_Language);

	/** Get Language.
	  */
	public String getAD_Language();

	/** Column name AD_Org_ID */
	public static final String COLUMNNAME_AD_Org_ID = "AD_Org_ID";

	/** Set Organization.
	  */
	public void setAD_Org_ID (int AD_Org_ID);

	/** Get Organization.
	  */
	public int getAD_Org_ID();

	/** Column name Age */
	public static final String COLUMNNAME_Age = "Age";

	/** Set Age.
	  */
	public void setAge (BigDecimal Age);

	/** Get Age.
	  */
	public BigDecimal getAge();

	/** Column name Amount */
	public static final String COLUMNNAME_Amount = "Amount";

	/** Set Amount &#8364;.
	  */
	public void setAmount (BigDecimal Amount);

	/** Get Amount &#8364;.
	  */
	public BigDecimal getAmount();

	/** Column name BuiltOn */
	public static final String COLUMNNAME_BuiltOn = "BuiltOn";

	/** Set Built on.
	  */
	public void setBuiltOn (Timestamp BuiltOn);

	/** Get Built on.
	  */
	public Timestamp getBuiltOn();

	/** Column name C_DocType_ID */
	public static final String COLUMNNAME_C_DocType_ID = "C_DocType_ID";

	/** Set Document Type.
	  */
	public void setC_DocType_ID (int C_DocType_ID);

	/** Get Document Type.
	  */
	public int getC_DocType_ID();

	/** Column name Created */
	public static final String COLUMNNAME_Created = "Created";

	/** Get Created.
	  */
	public Timestamp getCreated();

	/** Column name CreatedBy */
	public static final String COLUMNNAME_CreatedBy = "CreatedBy";

	/** Get Created By.
	  */
	public int getCreatedBy();

	/** Column name DocStatus */
	public static final String COLUMNNAME_DocStatus = "DocStatus";

	/** Set Document Status.
	  */
	public void setDocStatus (String DocStatus);

	/** Get Document Status.
	  */
	public String getDocStatus();

	/** Column name IsActive */
	public static final String COLUMNNAME_IsActive = "IsActive";

	/** Set Active.
	  */
	public void setIsActive (boolean IsActive);

	/** Get Active.
	  */
	public boolean isActive();

	/** Column name IsRented */
	public static final String COLUMNNAME_IsRented = "IsRented";

	/** Set Rented.
	  */
	public void setIsRented (boolean IsRented);

	/** Get Rented.
	  */
	public boolean isRented();

	/** Column name Line */
	public static final String COLUMNNAME_Line = "Line";

	/** Set Line.
	  */
	public void setLine (int Line);

	/** Get Line.
	  */
	public int getLine();

	/** Column name M_Warehouse_ID */
	public static final String COLUMNNAME_M_Warehouse_ID = "M_Warehouse_ID";

	/** Set Warehouse.
	  */
	public void setM_Warehouse_ID (int M_Warehouse_ID);

	/** Get Warehouse.
	  */
	public int getM_Warehouse_ID();

	/** Column name Name */
	public static final String COLUMNNAME_Name = "Name";

	/** Set Name.
	  * What peoplecall it
	  */
	public void setName (String Name);

	/** Get Name.
	  * What peoplecall it
	  */
	public String getName();

	/** Column name Picture */
	public static final String COLUMNNAME_Picture = "Picture";

	/** Set Picture.
	  */
	public void setPicture (byte[] Picture);

	/** Get Picture.
	  */
	public byte[] getPicture();

	/** Column name Processed */
	public static final String COLUMNNAME_Processed = "Processed";

	/** Set Processed.
	  */
	public void setProcessed (boolean Processed);

	/** Get Processed.
	  */
	public boolean isProcessed();

	/** Column name Record_ID */
	public static final String COLUMNNAME_Record_ID = "Record_ID";

	/** Set Record ID.
	  */
	public void setRecord_ID (int Record_ID);

	/** Get Record ID.
	  */
	public int getRecord_ID();

	/** Column name Secret */
	public static final String COLUMNNAME_Secret = "Secret";

	/** Set Secret.
	  */
	public void setSecret (String Secret);

	/** Get Secret.
	  */
	public String getSecret();

	/** Column name SecretFixed */
	public static final String COLUMNNAME_SecretFixed = "SecretFixed";

	/** Set Secret fixed.
	  */
	public void setSecretFixed (String SecretFixed);

	/** Get Secret fixed.
	  */
	public String getSecretFixed();

	/** Column name Updated */
	public static final String COLUMNNAME_Updated = "Updated";

	/** Get Updated.
	  */
	public Timestamp getUpdated();

	/** Column name UpdatedBy */
	public static final String COLUMNNAME_UpdatedBy = "UpdatedBy";

	/** Get Updated By.
	  */
	public int getUpdatedBy();

	/** Column name XX_Machine_ID */
	public static final String COLUMNNAME_XX_Machine_ID = "XX_Machine_ID";

	/** Set Machine.
	  */
	public void setXX_Machine_ID (int XX_Machine_ID);

	/** Get Machine.
	  */
	public int getXX_Machine_ID();

	/** Column name XX_Machine_UU */
	public static final String COLUMNNAME_XX_Machine_UU = "XX_Machine_UU";

	/** Set XX_Machine_UU.
	  */
	public void setXX_Machine_UU (String XX_Machine_UU);

	/** Get XX_Machine_UU.
	  */
	public String getXX_Machine_UU();

	/** Column name XX_State */
	public static final String COLUMNNAME_XX_State = "XX_State";

	/** Set State.
	  */
	public void setXX_State (String XX_State);

	/** Get State.
	  */
	public String getXX_State();
}
